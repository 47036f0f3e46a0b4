// A study as it is shown: the strip, the chart of each quantity against devices, the settings as a
// table, what was published beside it, the fit. One builder for window, terminal, JSON and files.
// Pure.
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

/// How the points of a series are marked, so that they need no colour.
enum class Marker : std::uint8_t { kDisc, kSquare, kDiamond, kCross };

struct ScalingDot {
  double x = 0;
  double y = 0;
  double low = 0;  ///< of the repeats; equal to `high`: no bar
  double high = 0;
  bool hollow = false;  ///< it fails the goal
  std::string key;      ///< of the setting
  std::string value;    ///< "3.41×"
  std::string aside;    ///< "85 %"
  std::string problem;  ///< "val 69.71 %": why it is hollow
  std::string hint;     ///< under the mouse
};

struct ScalingSeries {
  std::string name;    ///< "weak"
  std::string legend;  ///< "Weak: 128 per GPU, global batch grows"
  Token token = Token::kHigh;
  Marker marker = Marker::kDisc;
  bool joined = false;     ///< by a line; settings of one kind only
  bool published = false;  ///< of the source, drawn faint and hollow
  std::vector<ScalingDot> dots;
};

/// Single settings are named beside their points.
inline bool in_legend(const ScalingSeries& series) { return series.joined || series.published; }

/// A law that was fitted, as a line.
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
  bool goal = false;                             ///< hollow means: the goal was missed
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
  /// "Weak on 4 GPUs: 3.41× ± 0.03, 3 runs against 3 of the baseline. Fair: …"; empty: none yet.
  std::string result;
  std::optional<bool> fair;  ///< of all its runs; nothing where nobody can tell
  ScalingChart chart;
  ParallelView parallel;  ///< instead of the chart, of a study of settings
  Table table;
  std::vector<Table> more;  ///< of its source, fit, runs: those that say anything
  bool published = false;   ///< there is a source
  bool settings = false;    ///< it compares settings: it gets repeats, no numbers of devices
  bool can_continue = false;
  bool can_stop = false;
  std::vector<std::string> deletes;  ///< what deleting it can mean
  std::string problem;
  std::string subtitle;  ///< of the table
};

ScalingView build_scaling_view(const StudyFacts& facts, ScalingMetric metric);

/// The parts of it.
ScalingChart build_scaling_chart(const StudyFacts& facts, const analysis::Scaling& scaling,
                                 ScalingMetric metric);
Table build_settings_table(const StudyFacts& facts, const analysis::Scaling& scaling);
std::vector<Table> build_study_tables(const StudyFacts& facts, const analysis::Scaling& scaling);

/// "3.41× ± 0.03"
std::string spread_text(const analysis::Spread& speedup);
/// What belongs together, for all of them.
analysis::Scaling scaling_of(const StudyFacts& facts);
/// Decimals of a time in seconds: short runs differ in hundredths.
inline int study_decimals(double seconds) { return seconds < 100 ? 2 : 1; }
/// "1 GPU baseline", "Weak", "DataParallel", "DDP + BF16 AMP".
std::string series_words(const std::string& series, const StudyFacts& facts);
Token series_token(const std::string& series);
Marker series_marker(const std::string& series);

/// A published figure that holds for a setting, and ours by the clock of its source.
struct PublishedPoint {
  std::string key;
  const launch::PublishedFigure* figure = nullptr;
  double ours = analysis::RunMeasure::kNone;
};
std::vector<PublishedPoint> published_points(const StudyFacts& facts,
                                             const analysis::Scaling& scaling);

/// Laws fitted to one series, with what they predict; nothing below four points.
struct SeriesFit {
  std::string series;
  analysis::ScalingFit fit;
};
std::vector<SeriesFit> series_fits(const analysis::Scaling& scaling);

/// The menu of its chart: the picture, and the table of the study.
Menu scaling_chart_menu();

}  // namespace ringside::view
