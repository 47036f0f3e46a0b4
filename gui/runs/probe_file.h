// Results of probing this machine's devices, the newest of each kind, in probes.json beside the run
// folders: the next start shows them with their age, and reports of runs use them. Any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/scaling/link_probe.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Oldest first; empty if the file does not exist or is not a probe file.
std::vector<analysis::LinkProbe> read_probes(const std::filesystem::path& runs_dir);

/// The devices and the step that a probe measures.
struct ProbedWork {
  analysis::ProbedDevices devices;
  std::string step;                ///< empty: not known
  std::int64_t began_wall_ns = 0;  ///< 0: not known
};
/// What to probe for a run; nothing while its devices are not known.
std::optional<ProbedWork> probed_work(const model::RunModel& run);

/// The newest probe of these devices, preferably of this step. Without a matching step, or measured
/// after the work had begun, its ceiling is 0 (unknown).
std::optional<analysis::LinkProbe> probe_of_work(std::span<const analysis::LinkProbe> probes,
                                                 const ProbedWork& work);

/// The probe for the devices on which a run trained; null while the devices are unknown or were not
/// probed.
std::shared_ptr<const analysis::LinkProbe> probe_of_run(const runlog::RunFolder& folder,
                                                        const model::RunModel& run);

/// Replaces the earlier probe of the same devices with the same step.
Result<void> keep_probe(const std::filesystem::path& runs_dir, const analysis::LinkProbe& probe);

}  // namespace ringside::runs
