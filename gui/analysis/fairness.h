// Whether the times of two runs may be compared: what other processes took, how fast the devices
// ran, how they are joined, and the settings. Pure functions of their models and settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/detectors.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// True for a setting in which fair runs may differ: how many devices, and what follows from that.
bool may_differ(const std::string& setting);

/// What stands against comparing the two: settings by their keys ("train.seed"), and a global batch
/// that rounding made another ("a real global batch of 63 against 64"). Empty: it is fair.
std::vector<std::string> unfair_in(const model::RunModel& run, const model::RunModel& other);

/// Whether two runs are points of one scaling: the same work on other numbers of devices.
bool may_scale(const model::RunModel& run, const model::RunModel& other);

/// Busy share of a host's cores from which some processes had to wait for one.
inline constexpr double kFullHost = 0.85;

/// How busy a host was while the run trained, means over its readings, in cores.
struct HostLoad {
  double cpus = 0;
  double busy = 0;
  double ranks = 0;
  double viewers = 0;
  std::size_t readings = 0;
  double seconds = 0;  ///< from the first of them to the last
  /// Cores that all other processes took.
  double others() const;
};
/// Readings of a host while the run trained that it takes to say how busy it was.
inline constexpr std::size_t kFewestReadings = 5;
/// Number of such readings, of the host that was read most often.
std::size_t host_readings(const model::RunModel& model);
/// The host with most CPU time taken by other processes; nothing with fewer than kFewestReadings or
/// if a reading lacks a field.
std::optional<HostLoad> host_load(const model::RunModel& model);

/// What of the machine was not the same: busy host, viewer, slowed GPU, clocks, links. Each is
/// above its noise and one sentence.
std::vector<Finding> machine_differences(const model::RunModel& run,
                                         const model::RunModel& baseline);

/// All that makes a speedup worth less, or more, than it looks; warnings first. Empty: it is fair.
std::vector<Finding> unfair(const model::RunModel& run, const model::RunModel& baseline);

/// False of a person's own program: its settings are its own, whatever its samples tell.
bool knows_settings(const model::RunModel& run, const model::RunModel& baseline);

/// Whether all is known that could stand against comparing the two: the settings, and what other
/// processes took.
bool knows_enough(const model::RunModel& run, const model::RunModel& baseline);

/// What is said of one that nothing stands against: that it is fair, how sure that is, and what
/// would have to be known.
std::string fair_text(const model::RunModel& run, const model::RunModel& baseline);

}  // namespace ringside::analysis
