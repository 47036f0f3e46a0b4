// What a person chooses among: pages, axes, kinds of an end and of an export, panels, how a study
// is shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::view {

enum class Page : std::uint8_t { kLaunch, kLive, kScaling, kSampler, kRuns, kTimeline, kMachines };
enum class XAxis : std::uint8_t { kStep, kEpoch, kTime, kSamples };
enum class StopMode : std::uint8_t { kCheckpoint, kNow };
enum class ExportKind : std::uint8_t { kCsv, kTensorBoard, kHtml, kTrace };
/// What the next run trains with: our trainer, or a program of the person's own.
enum class RunKind : std::uint8_t { kTrainer, kScript };
/// Panels that can be closed and opened again.
enum class Dock : std::uint8_t { kSpeedup, kRanks, kLogs, kCount };
/// What the panel of tables shows.
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

/// What a study is drawn by, against devices.
enum class ScalingMetric : std::uint8_t {
  kSpeedup,
  kEfficiency,
  kTime,
  kSamples,
  kAccuracy,
  kCount
};
/// What a study is written as.
enum class StudyFileKind : std::uint8_t { kCsv, kHtml, kMarkdown, kSvg, kPng };

/// What the names of charts begin with that Compare draws, and those of a program's own values.
inline constexpr std::string_view kComparedChart = "compare.";
inline constexpr std::string_view kMetricChart = "metric.";

/// How the marked runs lie over one another.
struct CompareChoice {
  XAxis axis = XAxis::kEpoch;
  bool logarithmic = false;
  int smoothing = 0;  ///< steps that a smoothed line is the mean over; 0: raw lines only
  bool plan = false;  ///< the x axis reaches to the planned end, else to what was trained
  double low = 0;     ///< what of the x axis is shown, in its unit; up to low: all of it
  double high = 0;
  std::string chart{};         ///< key of the chart that fills the panel; empty: several
  std::string metric{};        ///< key of the one below loss and accuracy; empty: none
  std::string baseline{};      ///< id of the run that the others are held against; else the first
  bool only_differing = true;  ///< of the settings
  bool step_figures = false;   ///< metrics of steps, too, as figures: they take long to read
  bool fold_repeats = false;   ///< runs of one recipe are drawn as their mean and a band
  bool operator==(const CompareChoice&) const = default;
};

/// Word of a page, of an axis and of a tab: "Live", "Epoch", "Devices".
const char* name_of(Page page);
const char* name_of(XAxis axis);
const char* name_of(TableTab tab);
/// "Speedup", and as files name it: "speedup".
const char* name_of(ScalingMetric metric);
const char* key_of(ScalingMetric metric);

}  // namespace ringside::view
