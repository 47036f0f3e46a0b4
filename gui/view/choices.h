// The values that a person can choose from: pages, axes, ways to stop a run, file kinds, panels,
// displays of a study.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::view {

enum class Page : std::uint8_t { kLaunch, kLive, kScaling, kSampler, kRuns, kTimeline, kMachines };
enum class XAxis : std::uint8_t { kStep, kEpoch, kTime, kSamples };
enum class StopMode : std::uint8_t { kCheckpoint, kNow };
enum class ExportKind : std::uint8_t { kCsv, kTensorBoard, kHtml, kTrace };
/// What the next run trains with: Ringside's trainer, or a person's own program.
enum class RunKind : std::uint8_t { kTrainer, kScript };
/// Panels that can be closed and opened again.
enum class Dock : std::uint8_t { kSpeedup, kRanks, kLogs, kCount };
enum class TableTab : std::uint8_t {
  kRanks,
  kGrid,
  kDevices,
  kResources,
  kMetrics,
  kGroups,
  kNodes,
  kCount
};

/// The quantity of a study that is drawn against devices.
enum class ScalingMetric : std::uint8_t {
  kSpeedup,
  kEfficiency,
  kTime,
  kSamples,
  kAccuracy,
  kCount
};
enum class StudyFileKind : std::uint8_t { kCsv, kHtml, kMarkdown, kSvg, kPng };

/// Prefixes of the names of charts: those on Compare, and those of values that a program logged.
inline constexpr std::string_view kComparedChart = "compare.";
inline constexpr std::string_view kMetricChart = "metric.";

/// How the marked runs are drawn on Compare.
struct CompareChoice {
  XAxis axis = XAxis::kEpoch;
  bool logarithmic = false;
  int smoothing = 0;  ///< number of steps that a smoothed line averages; 0: raw lines only
  bool plan = false;  ///< the x axis extends to the planned end, else to the last trained step
  double low = 0;     ///< shown range of the x axis, in its unit; `high` not above `low`: all of it
  double high = 0;
  std::string chart{};     ///< key of the chart that fills the panel; empty: several charts
  std::string metric{};    ///< key of the chart below loss and accuracy; empty: none
  std::string baseline{};  ///< id of the run that the others are compared with; empty: the first
  bool only_differing = true;  ///< list only settings in which the runs differ
  bool step_figures = false;   ///< show metrics of steps as figures too; reading them takes long
  bool fold_repeats = false;   ///< draw runs of one recipe as their mean and a band
  bool operator==(const CompareChoice&) const = default;
};

/// Returns the name of a page, axis or tab: "Live", "Epoch", "Devices".
const char* name_of(Page page);
const char* name_of(XAxis axis);
const char* name_of(TableTab tab);
/// Returns the name, "Speedup", and the one for files, "speedup".
const char* name_of(ScalingMetric metric);
const char* key_of(ScalingMetric metric);

}  // namespace ringside::view
