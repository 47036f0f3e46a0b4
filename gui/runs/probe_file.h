// What probes of this machine's devices measured, newest of each kind, as probes.json beside the
// run folders: the next start shows it with its age, and runs are read beside it. Any thread.
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

/// Oldest first; nothing where the file is not there or not ours.
std::vector<analysis::LinkProbe> read_probes(const std::filesystem::path& runs_dir);

/// What a probe is of.
struct ProbedWork {
  analysis::ProbedDevices devices;
  std::string step;                ///< empty: not known
  std::int64_t began_wall_ns = 0;  ///< 0: not known
};
/// The work of a run that is probed; nothing while its devices are not known.
std::optional<ProbedWork> probed_work(const model::RunModel& run);

/// The newest of these devices, of this step where there is one. One of another step, or that was
/// measured after the work had begun, has no ceiling (0).
std::optional<analysis::LinkProbe> probe_of_work(std::span<const analysis::LinkProbe> probes,
                                                 const ProbedWork& work);

/// What is known of the devices on which a run trained; null while they, or a probe of them, are
/// not.
std::shared_ptr<const analysis::LinkProbe> probe_of_run(const runlog::RunFolder& folder,
                                                        const model::RunModel& run);

/// Takes the place of the one before on the same devices with the same step.
Result<void> keep_probe(const std::filesystem::path& runs_dir, const analysis::LinkProbe& probe);

}  // namespace ringside::runs
