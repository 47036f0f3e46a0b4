// The row of Preflight about the links between the chosen devices. Pure.
#pragma once

#include <string>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::view {

/// "probed about 34 min ago, 2 CPU slots, gloo over TCP: 0.11 ms for 4 B, ..."
std::string probe_sentence(const messages::RunSpec& spec, const analysis::LinkProbe& probe,
                           std::int64_t now_wall_ns);

/// Facts about probes that the session knows.
struct ProbeFacts {
  const analysis::LinkProbe* newest = nullptr;  ///< the newest of the chosen devices; null: none
  std::int64_t now_wall_ns = 0;
  bool running = false;
  std::string problem;  ///< why the last probe failed; empty: it succeeded
};

/// The check of a run with two or more ranks. `advice`: from link_advice().
CheckView probe_check(const messages::RunSpec& spec, const ProbeFacts& facts,
                      const std::string& advice);

/// "SYS between GPU 0 and 3 is the slowest link of these; GPU 0, 1 are joined by NV4"; empty if no
/// other free GPUs have faster links.
std::string link_advice(const LaunchForm& form, const MachineSummary& machine);

}  // namespace ringside::view
