// The results of a probe of devices, in the same words everywhere: Preflight, speedup card,
// Scaling, `doctor --links`, `show`, report. Pure.
#pragma once

#include <string>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/view/report_run.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::view {

/// "2 CPU slots, gloo over TCP"
std::string probed_text(const analysis::LinkProbe& probe);
/// "0.11 ms for 4 B, bus bandwidth 1.2 GB/s"
std::string links_text(const analysis::LinkProbe& probe);
/// "0.2 MB of gradients are expected to take 0.4 ms a step"
std::string expected_text(const analysis::LinkProbe& probe, std::int64_t gradient_bytes);
/// "2 copies at once reach 1.74× of one", "... on a busy host, where other processes took 0.8 of 2
/// cores"
std::string ceiling_text(const analysis::LinkProbe& probe);
/// "about 34 min ago"
std::string probe_age_text(const analysis::LinkProbe& probe, std::int64_t now_wall_ns);

/// Contention separated from communication, if a speedup on these devices is below the ideal: "2
/// copies at once reach 1.74× of one (lenet, 32 samples, fp32): of the 0.50× below the ideal 0.26×
/// is what the copies take from each other, 0.24× exchange and all else."
std::string contention_text(const analysis::LinkProbe& probe, double speedup);

/// A row per size with time and bandwidth.
Table probe_table(const analysis::LinkProbe& probe);
/// Expected beside measured times, and the ceiling; no row without a probe of its devices.
Table expected_table(const ReportRun& run);

}  // namespace ringside::view
