// The probe before a start: all-reduces, and steps of the model without gradient exchange, for a
// few seconds on exactly the devices of a run. It runs ringside-check in a temporary folder. Any
// one thread; blocks until that has ended, up to its time limit.
#pragma once

#include <string>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/doctor/verdicts.h"
#include "gui/launch/machine.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::doctor {

struct ProbeRequest {
  messages::RunSpec spec;  ///< settings of the planned run, with settled devices (launch::settled)
  bool quick = false;
  double limit_s = 60;  ///< time limit for a probe that hangs
  launch::Cancelled cancelled{};
};

/// Measures the links between the devices; leaves no files and no processes behind, however it
/// ends. Returns a bad request if there are fewer than two devices to connect, or if another
/// program computes on one.
Result<analysis::LinkProbe> probe_links(const launch::Machine& machine,
                                        const ProbeRequest& request);

/// The settings of the probe, without its program: those of the run that its steps depend on. For a
/// custom program, or if the data set is missing here, LeNet on generated digits.
messages::RunSpec probe_spec(const messages::RunSpec& run, messages::RunSpec probe, bool has_data);
/// The probe from the ranks' output; fails if that is incomplete.
Result<analysis::LinkProbe> probe_of(const RankFacts& ranks, const messages::RunSpec& spec,
                                     const std::string& host, std::int64_t wall_ns);

}  // namespace ringside::doctor
