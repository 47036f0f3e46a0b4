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
/// 0 at low, 1 at high; outside beyond. On a logarithmic axis values at or below 0 give 0.
double axis_share(const AxisView& axis, double value);

/// One pixel column that holds something.
struct ChartColumn {
  double x = 0;
  float low = 0;
  float high = 0;
  float first = 0;  ///< leftmost and rightmost value, so that columns join
  float last = 0;
  float mean = 0;     ///< where a line over a band goes through
  bool anew = false;  ///< records between it and the column before were lost: no line joins them
};

/// A column of one value.
inline ChartColumn single_column(double x, float value) {
  return {x, value, value, value, value, value};
}

/// Calls visit(columns) with each stretch of columns that a line joins.
template <class Visit>
void each_stretch(std::span<const ChartColumn> columns, Visit&& visit) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= columns.size(); ++i) {
    if (i < columns.size() && !columns[i].anew) continue;
    visit(columns.subspan(begin, i - begin));
    begin = i;
  }
}

/// kRun: one of several runs that are compared; told apart by `LineView::run`.
enum class LineKind : std::uint8_t { kRank, kMean, kBaseline, kRun };

struct LineView {
  LineKind kind = LineKind::kRank;
  Rank rank = kNoRank;  ///< kRank only
  int run = 0;          ///< kRun only: place among the compared, from 0
  std::string label;    ///< "r0", "mean", "baseline #983", "A"
  bool hidden = false;  ///< the person hid it; no columns
  std::vector<ChartColumn> columns;
  std::vector<ChartColumn> band;  ///< lowest to highest of the runs that a kRun is the mean of
  std::vector<double> nan_at;     ///< x of NaN or Inf: a red cross on the top edge
  bool ends_in_cross = false;     ///< the rank failed here
};

/// Lowest to highest over ranks.
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
  kStop
};
struct MarkerView {
  MarkerKind kind = MarkerKind::kLrDrop;
  double x = 0;
  std::string label;     ///< "LR 0.004"; of checkpoints and evaluations what the mouse is told
  bool planned = false;  ///< drawn hollow
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

/// The box at the cursor.
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
  std::vector<LineView> smoothed;  ///< means over neighbouring steps; the lines stand faint behind
  BandView band;
  std::vector<MarkerView> markers;
  std::vector<PointView> points;
  std::vector<LimitView> limits;
  ReadoutView readout;
  Sentence empty;  ///< instead of lines: "First step expected in 8 s. ..."; axes are still drawn
  std::string why_linear;  ///< of a y axis that was asked for as logarithmic and cannot be
  XAxis axis = XAxis::kStep;
};

/// What the person chose about the charts of a screen; part of every chart's cache key.
struct ChartChoice {
  XAxis axis = XAxis::kEpoch;
  bool logarithmic = false;
  bool whole_step = false;  ///< step time chart
  int smoothing = 0;        ///< steps that a smoothed line is the mean over; 0: raw lines only
  bool plan = false;        ///< the whole run reaches to its planned end, else to what was trained
  bool baseline = true;
  model::Window window{};  ///< in steps; empty (begin == end): the whole run
  double cursor_step = -1;
  std::vector<Rank> hidden{};  ///< ascending
  bool operator==(const ChartChoice&) const = default;
};

/// How charts are drawn at first, and what of a choice is kept for the next run.
ChartChoice first_style();
ChartChoice kept_style(ChartChoice choice);

/// Lines of at most this many ranks are drawn one by one; beyond, a band, the mean and marked
/// ranks.
inline constexpr Rank kMaxRankLines = 8;

/// Ticks at 1, 2 or 5 times a power of ten, at most `most` of them (logarithmic: 1, 2, 3, 5 within
/// decades; time: at whole seconds, minutes or hours that people count in; steps: their labels
/// count from 1, as step_text does, and their positions from 0).
std::vector<Tick> linear_ticks(double low, double high, int most);
std::vector<Tick> step_ticks(double low, double high, int most);
std::vector<Tick> time_ticks(double low_s, double high_s, int most);
std::vector<Tick> log_ticks(double low, double high, int most);

/// The window in steps that a chart shows for this choice.
model::Window shown_window(const model::RunModel& model, const ChartChoice& choice);

}  // namespace ringside::view
