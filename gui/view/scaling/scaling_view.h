// A study as shown: header, chart of each quantity against devices, table of settings, published
// results, fit. One builder for window, terminal, JSON and files. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/scaling/scaling_fit.h"
#include "gui/view/chart/chart.h"
#include "gui/view/choices.h"
#include "gui/view/colors.h"
#include "gui/view/menu.h"
#include "gui/view/scaling/parallel_view.h"
#include "gui/view/scaling/study_facts.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Shapes of a series' points, so that series differ without colour.
enum class Marker : std::uint8_t { kDisc, kSquare, kDiamond, kCross };

struct ScalingDot {
  double x = 0;
  double y = 0;
  double low = 0;  ///< lowest of the repeats; equal to `high`: no bar
  double high = 0;
  bool hollow = false;  ///< the setting misses the goal
  std::string key;      ///< key of the setting
  std::string value;    ///< "3.41×"
  std::string aside;    ///< "85 %"
  std::string problem;  ///< why it is hollow: "val 69.71 %"
  std::string hint;     ///< shown under the mouse
};

struct ScalingSeries {
  std::string name;    ///< "weak"
  std::string legend;  ///< "Weak: 128 per GPU, global batch grows"
  Token token = Token::kHigh;
  Marker marker = Marker::kDisc;
  bool joined = false;     ///< drawn with a line; series of one kind of scaling only
  bool published = false;  ///< values of the source, drawn faint and hollow
  std::vector<ScalingDot> dots;
};

/// Returns whether the series is in the legend; single settings are named beside their points
/// instead.
inline bool in_legend(const ScalingSeries& series) { return series.joined || series.published; }

/// A fitted law, drawn as a line.
struct ScalingCurve {
  Token token = Token::kHigh;
  std::vector<std::pair<double, double>> points;
};

struct ScalingChart {
  std::string title;     ///< "Speedup against one GPU"
  std::string subtitle;  ///< "bars: lowest to highest of 3 repeats"
  AxisView x;
  AxisView y;
  std::vector<ScalingSeries> series;
  std::vector<ScalingCurve> curves;
  std::vector<std::pair<double, double>> ideal;  ///< empty: none
  std::vector<LimitView> limits;                 ///< "gate: time cut 40 % is 1.67×"
  bool goal = false;                             ///< hollow points miss the goal
  Sentence empty;
};

struct ScalingView {
  std::string name;  ///< "S-07"; empty: there is no study
  Sentence head;     ///< "resnet50 · cifar10 · 60 epochs  13 settings × 3 repeats = 39 runs"
  std::string progress;
  Tone progress_tone = Tone::kDim;
  Shape progress_shape = Shape::kNone;
  Sentence baseline;  ///< "baseline #983 2,018.4 s ± 9.6"
  std::string goal;   ///< "Gate: time cut ≥ 40 % and val acc > 70 %"
  /// Example: "Weak on 4 GPUs: 3.41× ± 0.03, 3 runs against 3 of the baseline. Fair: …"; empty:
  /// none yet.
  std::string result;
  std::optional<bool> fair;  ///< verdict on all its runs; empty: not known
  ScalingChart chart;
  ParallelView parallel;  ///< shown instead of the chart in a study of settings
  Table table;
  std::vector<Table> more;  ///< non-empty tables of its source, fit and runs
  bool published = false;   ///< published results exist
  bool settings = false;  ///< it compares settings, so it can get repeats but no numbers of devices
  bool can_continue = false;
  bool can_stop = false;
  std::vector<std::string> deletes;  ///< the possible extents of deleting it
  std::string problem;
  std::string subtitle;  ///< subtitle of the table
};

ScalingView build_scaling_view(const StudyFacts& facts, ScalingMetric metric);

ScalingChart build_scaling_chart(const StudyFacts& facts, const analysis::Scaling& scaling,
                                 ScalingMetric metric);
Table build_settings_table(const StudyFacts& facts, const analysis::Scaling& scaling);
std::vector<Table> build_study_tables(const StudyFacts& facts, const analysis::Scaling& scaling);

/// Example: "3.41× ± 0.03"
std::string spread_text(const analysis::Spread& speedup);
/// Computes the scaling of all settings, grouped into series.
analysis::Scaling scaling_of(const StudyFacts& facts);
/// Returns the decimals for a time in seconds; short runs differ in hundredths.
inline int study_decimals(double seconds) { return seconds < 100 ? 2 : 1; }
/// Examples: "1 GPU baseline", "Weak", "DataParallel", "DDP + BF16 AMP".
std::string series_words(const std::string& series, const StudyFacts& facts);
Token series_token(const std::string& series);
Marker series_marker(const std::string& series);

/// A published value for a setting, and ours converted to the clock of its source.
struct PublishedPoint {
  std::string key;
  const launch::PublishedFigure* figure = nullptr;
  double ours = analysis::RunMeasure::kNone;
};
std::vector<PublishedPoint> published_points(const StudyFacts& facts,
                                             const analysis::Scaling& scaling);

/// Laws fitted to one series, with their predictions; empty below four points.
struct SeriesFit {
  std::string series;
  analysis::ScalingFit fit;
};
std::vector<SeriesFit> series_fits(const analysis::Scaling& scaling);

/// Returns the menu of the chart: its picture and the table of the study.
Menu scaling_chart_menu();

}  // namespace ringside::view
