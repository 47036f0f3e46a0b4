// Whether the times of two runs may be compared: CPU time of other processes, clocks and links of
// the devices, and settings. Pure functions of their models and settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/findings/detectors.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// Whether fair runs may differ in this setting: the number of devices, and what follows from that.
bool may_differ(const std::string& setting);

/// Reasons against comparing the two: settings by their keys ("train.seed"), and a global batch
/// that rounding changed ("a real global batch of 63 against 64"). Empty: it is fair.
std::vector<std::string> unfair_in(const model::RunModel& run, const model::RunModel& other);

/// Whether two runs are points of one scaling curve: the same work on different numbers of devices.
bool may_scale(const model::RunModel& run, const model::RunModel& other);

/// CPU use of a host while the run trained, mean over its readings, in cores.
struct HostLoad {
  double cpus = 0;
  double busy = 0;
  double ranks = 0;
  double viewers = 0;
  std::size_t readings = 0;
  double seconds = 0;  ///< from the first to the last reading
  /// Cores used by all other processes.
  double others() const;
};
/// Number of readings of a host during training that are needed to judge its load.
inline constexpr std::size_t kFewestReadings = 5;
/// Number of such readings, of the host with the most.
std::size_t host_readings(const model::RunModel& model);
/// The host on which other processes took the most CPU time; nothing if it has fewer than
/// kFewestReadings or if a reading lacks a field.
std::optional<HostLoad> host_load(const model::RunModel& model);

/// Differences of the machine between the runs: busy host, viewer, slowed GPU, clocks, links. Each
/// is above its noise and one sentence.
std::vector<Finding> machine_differences(const model::RunModel& run,
                                         const model::RunModel& baseline);

/// Everything that makes a speedup worth less, or more, than it looks; warnings first. Empty: fair.
std::vector<Finding> unfair(const model::RunModel& run, const model::RunModel& baseline);

/// False for a custom program, whose settings are unknown whatever its samples show.
bool knows_settings(const model::RunModel& run, const model::RunModel& baseline);

/// Whether everything is known that could count against comparing the two: the settings, and the
/// CPU time of other processes.
bool knows_enough(const model::RunModel& run, const model::RunModel& baseline);

/// The answer from all reasons against comparing the two, as unfair() gives them: false if one is a
/// warning; nothing if there is none, but not everything is known.
std::optional<bool> is_fair(const std::vector<Finding>& reasons, const model::RunModel& run,
                            const model::RunModel& baseline);

/// Text for a comparison that nothing counts against: that it is fair, how certain that is, and
/// what would have to be known.
std::string fair_text(const model::RunModel& run, const model::RunModel& baseline);

}  // namespace ringside::analysis
