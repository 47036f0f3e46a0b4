// A chart as data: lines thinned to at most two values per pixel column, a band, markers, limits,
// and axes with their ticks and labels. Positions are in axis units (x) and value units (y);
// `x_share` and `y_share` map them to 0 .. 1. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/model/series.h"
#include "gui/view/choices.h"
#include "gui/view/words.h"

namespace ringside::view {

struct Tick {
  double at = 0;
  std::string label;  ///< empty: a mark without text
};

struct AxisView {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<Tick> ticks;
  std::string unit;  ///< "epoch", "ms"
};
/// Maps low to 0 and high to 1; values outside map beyond. On a logarithmic axis, values at or
/// below 0 map to 0.
double axis_share(const AxisView& axis, double value);

/// One pixel column with at least one value.
struct ChartColumn {
  double x = 0;
  float low = 0;
  float high = 0;
  float first = 0;  ///< leftmost value; `last` is the rightmost, so that neighbouring columns join
  float last = 0;
  float mean = 0;     ///< the line above a band passes through it
  bool anew = false;  ///< records before it were lost: no line joins it to the column before
};

inline ChartColumn single_column(double x, float value) {
  return {x, value, value, value, value, value};
}

/// Calls visit(columns) for each stretch of columns that one line joins.
template <class Visit>
void each_stretch(std::span<const ChartColumn> columns, Visit&& visit) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= columns.size(); ++i) {
    if (i < columns.size() && !columns[i].anew) continue;
    visit(columns.subspan(begin, i - begin));
    begin = i;
  }
}

/// kRun: one of several compared runs, told apart by `LineView::run`.
enum class LineKind : std::uint8_t { kRank, kMean, kBaseline, kRun };

struct LineView {
  LineKind kind = LineKind::kRank;
  Rank rank = kNoRank;  ///< kRank only
  int run = 0;          ///< kRun only: index among the compared runs, from 0
  std::string label;    ///< "r0", "mean", "baseline #983", "A"
  bool hidden = false;  ///< the person hid it; no columns
  std::vector<ChartColumn> columns;
  std::vector<ChartColumn> band;  ///< range over the runs whose mean this kRun line shows
  std::vector<double> nan_at;     ///< x of NaN or Inf values: a red cross at the top edge
  bool ends_in_cross = false;     ///< the rank failed here
};

/// Range from the lowest to the highest rank.
struct BandView {
  std::vector<ChartColumn> columns;
};

enum class MarkerKind : std::uint8_t {
  kLrDrop,
  kRestart,
  kCheckpoint,
  kEvaluation,
  kNow,
  kFailure,
  kStop,
  kNote
};
struct MarkerView {
  MarkerKind kind = MarkerKind::kLrDrop;
  double x = 0;
  std::string label;     ///< "LR 0.004"; shown under the mouse for checkpoints, evaluations, notes
  bool planned = false;  ///< in the future, drawn hollow
};

struct PointView {
  double x = 0;
  double y = 0;
  bool baseline = false;
};

struct LimitView {
  double y = 0;
  std::string label;  ///< "gate 70"
  Tone tone = Tone::kOk;
};

/// The box of values at the cursor.
struct ReadoutRow {
  LineKind kind = LineKind::kRank;
  Rank rank = kNoRank;
  std::string label;
  std::string value;
};
struct ReadoutView {
  bool shown = false;
  double x = 0;
  Sentence head;  ///< "epoch 26  step 39/98  LR 0.004"
  std::vector<ReadoutRow> rows;
};

struct ChartView {
  std::string title;
  std::string subtitle;
  std::string aside;  ///< right of the header: "Loss spread 0.005", "val 75.21 %"
  AxisView x;
  AxisView y;
  std::vector<LineView> lines;     ///< drawn in order; the mean last
  std::vector<LineView> smoothed;  ///< means over steps; the raw lines are drawn behind them
  BandView band;
  std::vector<MarkerView> markers;
  std::vector<PointView> points;
  std::vector<LimitView> limits;
  ReadoutView readout;
  Sentence empty;          ///< shown instead of lines: "First step expected in 8 s. ..."
  std::string why_linear;  ///< why a chosen logarithmic y axis is not possible; empty: it is
  XAxis axis = XAxis::kStep;
};

/// A person's choices for the charts of a screen; part of every chart's cache key.
struct ChartChoice {
  XAxis axis = XAxis::kEpoch;
  bool logarithmic = false;
  bool whole_step = false;  ///< step time chart
  int smoothing = 0;        ///< number of steps that a smoothed line averages; 0: raw lines only
  bool plan = false;  ///< the x axis extends to the planned end, else to the last trained step
  bool baseline = true;
  model::Window window{};  ///< in steps; empty (begin == end): the whole run
  double cursor_step = -1;
  std::vector<Rank> hidden{};  ///< ascending
  bool operator==(const ChartChoice&) const = default;
};

/// first_style returns how charts are drawn at first; kept_style returns the part of a choice that
/// the next run keeps.
ChartChoice first_style();
ChartChoice kept_style(ChartChoice choice);

/// Up to this many ranks are drawn as single lines; above it, a band, the mean and the marked
/// ranks.
inline constexpr Rank kMaxRankLines = 8;

/// Return ticks at 1, 2 or 5 times a power of ten, at most `most` of them. Logarithmic: at 1, 2, 3,
/// 5 within decades. Time: at usual whole seconds, minutes or hours. Steps: labels count from 1, as
/// step_text does, and positions from 0.
std::vector<Tick> linear_ticks(double low, double high, int most);
std::vector<Tick> step_ticks(double low, double high, int most);
std::vector<Tick> time_ticks(double low_s, double high_s, int most);
std::vector<Tick> log_ticks(double low, double high, int most);

/// Returns the window, in steps, that a chart shows for this choice.
model::Window shown_window(const model::RunModel& model, const ChartChoice& choice);

}  // namespace ringside::view
