// Pieces that the charts share: lines and bands from series, axes, markers, empty states. Internal
// to gui/view. Pure.
#pragma once

#include <span>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/run_context.h"

namespace ringside::view {

/// What is drawn of a series, and where.
struct Plotting {
  model::Window window;  ///< steps
  int pixels = 1;
  double scale = 1;  ///< value in the chart = value in the series * scale
  const XScale* x = nullptr;
  const model::RankModel* rank =
      nullptr;  ///< whose clock counts on the time axis; null: the first rank's
  std::vector<const model::Gaps*> gaps;  ///< where lines break
};

/// The gaps of every rank. A line over all ranks breaks where one of them has a gap.
std::vector<const model::Gaps*> gaps_of(const model::RunModel& model);
/// True when records were lost from step `begin` up to and without `end`.
bool lost_between(const Plotting& plot, std::size_t begin, std::size_t end);

/// Adds columns to a line or a band, which breaks where records were lost between two of them or a
/// value is NaN or Inf, and on the time axis where the run stood still.
class BrokenColumns {
 public:
  /// `plot` and `into` must stay where they are meanwhile.
  BrokenColumns(const Plotting& plot, std::vector<ChartColumn>& into) : plot_(plot), into_(into) {}

  /// `begin` up to `end`: the steps of the column, behind those of the one before.
  void add(std::size_t begin, std::size_t end, ChartColumn column);
  /// What is added next does not go on from what was added last.
  void break_line() { broken_ = true; }

 private:
  const Plotting& plot_;
  std::vector<ChartColumn>& into_;
  std::size_t known_ = 0;  ///< up to here the line goes
  bool broken_ = false;
};

/// What the charts of a run begin with: axis, window, the room there is. Stays where it is made,
/// since `plot` points at `scale`.
struct StartedChart {
  StartedChart(const model::RunModel& model, const ChartChoice& choice, int pixels,
               std::string title, std::string subtitle);
  StartedChart(const StartedChart&) = delete;
  StartedChart& operator=(const StartedChart&) = delete;

  ChartView chart;
  XScale scale;
  Plotting plot;
  model::Extremes range;  ///< of what is drawn so far
};

/// With very many ranks their band has fewer columns than the plot has pixels, so that a chart
/// never asks for many more extremes.
Plotting band_plotting(const Plotting& plot, std::size_t ranks);

/// The extremes of a series per pixel column of the plot, or per step where steps are fewer.
std::vector<model::Extremes> thinned(const model::Series& series, const Plotting& plot);
/// Turns them into line.columns and line.nan_at; widens `range` by what is drawn.
void add_columns(const model::Series& series, std::span<const model::Extremes> thin,
                 const Plotting& plot, LineView& line, model::Extremes& range);
/// Adds one more series to what a band spans, column by column.
void merge(std::span<const model::Extremes> thin, std::vector<model::Extremes>& spanned);
/// Turns what is spanned into a band.
void add_band(std::span<const model::Extremes> spanned, const Plotting& plot, BandView& band,
              model::Extremes& range);
/// Mean of the values of each pixel column.
void add_means(const model::Series& series, const Plotting& plot, LineView& line,
               model::Extremes& range);

/// Mean over `steps` steps around the middle of each pixel column.
void add_smoothed(const model::Series& series, const Plotting& plot, int steps, LineView& line);

/// The line of the cursor, without values.
void add_cursor(const model::RunModel& model, const ChartChoice& choice, const XScale& scale,
                ChartView& chart);

/// The visible y axis around what was drawn; a logarithmic one falls back to linear when nothing is
/// above 0.
AxisView y_axis(const model::Extremes& range, bool logarithmic, int height);
/// The x axis over the window; on the time axis a window that goes beyond the newest step is
/// extended at the pace so far.
AxisView x_axis(const model::RunModel& model, const XScale& scale, const model::Window& window,
                int pixels);
/// The same over a stretch of it.
AxisView x_axis_between(const model::RunModel& model, XAxis what, double low, double high,
                        int pixels);

/// Drops of the learning rate, done and planned, restarts, and "now" while the run goes on.
std::vector<MarkerView> run_markers(const model::RunModel& model, const RunContext& context,
                                    const XScale& scale);

/// What is known of the start, shown instead of lines before the first step.
Sentence no_steps_yet(const model::RunModel& model, const RunContext& context,
                      const BaselineContext& baseline);

/// Ranks drawn as lines: all up to kMaxRankLines, beyond that those that failed or whose loss is
/// not a number.
std::vector<Rank> drawn_ranks(const model::RunModel& model);
bool is_hidden(const ChartChoice& choice, Rank rank);
bool has_failed(const model::RankModel& rank);
std::size_t first_of(const model::Window& window);
std::size_t end_of(const model::Window& window);

}  // namespace ringside::view
