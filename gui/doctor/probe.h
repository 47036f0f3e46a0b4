// The probe before a start: all-reduces, and steps of the model that nobody exchanges, for a few
// seconds on exactly the devices of a run. It is a run of ringside-check in a folder of its own.
// Any one thread; blocks until it has ended, at most so long as it may.
#pragma once

#include <string>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/doctor/verdicts.h"
#include "gui/launch/machine.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::doctor {

struct ProbeWish {
  messages::RunSpec spec;  ///< of the run to come, its devices settled (launch::settled)
  bool quick = false;
  double limit_s = 60;  ///< a probe that hangs is ended then
  launch::Cancelled cancelled{};
};

/// Measures the links between the devices; leaves no files and no processes behind, however it
/// ends. A bad request if there are fewer than two devices to connect, or if another program
/// computes on one.
Result<analysis::LinkProbe> probe_links(const launch::Machine& machine, const ProbeWish& wish);

/// The settings of the probe, without its program. They are those of the run that its step depends
/// on; for a custom program, or if the data set is missing here, LeNet on generated digits.
messages::RunSpec probe_spec(const messages::RunSpec& run, messages::RunSpec probe, bool has_data);
/// The probe from what its ranks printed; fails where that is not all there.
Result<analysis::LinkProbe> probe_of(const RankFacts& ranks, const messages::RunSpec& spec,
                                     const std::string& host, std::int64_t wall_ns);

}  // namespace ringside::doctor
