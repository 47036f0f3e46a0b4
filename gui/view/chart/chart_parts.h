// Pieces that the charts share: lines and bands from series, axes, markers, empty states. Internal
// to gui/view. Pure.
#pragma once

#include <span>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/run_context.h"

namespace ringside::view {

/// The drawn part of a series, and the area in which it is drawn.
struct Plotting {
  model::Window window;  ///< steps
  int pixels = 1;
  double scale = 1;  ///< value in the chart = value in the series * scale
  const XScale* x = nullptr;
  const model::RankModel* rank =
      nullptr;  ///< whose clock gives the times on the time axis; null: the first rank's
  std::vector<const model::Gaps*> gaps;  ///< lost records, at which lines break
};

/// The gaps of every rank. A line over all ranks breaks where one of them has a gap.
std::vector<const model::Gaps*> gaps_of(const model::RunModel& model);
/// True when records were lost from step `begin` up to and without `end`.
bool lost_between(const Plotting& plot, std::size_t begin, std::size_t end);

/// Adds columns to a line or a band. It breaks if records were lost between two columns, if a value
/// is NaN or Inf, and on the time axis where the run paused.
class BrokenColumns {
 public:
  /// `plot` and `into` must outlive this object.
  BrokenColumns(const Plotting& plot, std::vector<ChartColumn>& into) : plot_(plot), into_(into) {}

  /// The steps of the column are `begin` up to and without `end`, after those of the column before.
  void add(std::size_t begin, std::size_t end, ChartColumn column);
  /// The next column is not joined to the last one.
  void break_line() { broken_ = true; }

 private:
  const Plotting& plot_;
  std::vector<ChartColumn>& into_;
  std::size_t known_ = 0;  ///< end of the steps added so far
  bool broken_ = false;
};

/// The common start of the charts of a run: axis, window and room. Cannot be moved, since `plot`
/// points at `scale`.
struct StartedChart {
  StartedChart(const model::RunModel& model, const ChartChoice& choice, int pixels,
               std::string title, std::string subtitle);
  StartedChart(const StartedChart&) = delete;
  StartedChart& operator=(const StartedChart&) = delete;

  ChartView chart;
  XScale scale;
  Plotting plot;
  model::Extremes range;  ///< of the values drawn so far
};

/// The plotting of a band. If there are very many ranks it has fewer columns than the plot has
/// pixels, which limits the number of extremes that a chart reads.
Plotting band_plotting(const Plotting& plot, std::size_t ranks);

/// The extremes of a series per pixel column of the plot, or per step if there are fewer steps.
std::vector<model::Extremes> thinned(const model::Series& series, const Plotting& plot);
/// Turns `thin` into line.columns and line.nan_at; widens `range` to the drawn values.
void add_columns(const model::Series& series, std::span<const model::Extremes> thin,
                 const Plotting& plot, LineView& line, model::Extremes& range);
/// Adds one more series to the extremes of a band, column by column.
void merge(std::span<const model::Extremes> thin, std::vector<model::Extremes>& spanned);
/// Turns the extremes into a band.
void add_band(std::span<const model::Extremes> spanned, const Plotting& plot, BandView& band,
              model::Extremes& range);
/// The mean of the values of each pixel column.
void add_means(const model::Series& series, const Plotting& plot, LineView& line,
               model::Extremes& range);

/// The mean over `steps` steps around the middle of each pixel column.
void add_smoothed(const model::Series& series, const Plotting& plot, int steps, LineView& line);

/// Adds the line of the cursor, without values.
void add_cursor(const model::RunModel& model, const ChartChoice& choice, const XScale& scale,
                ChartView& chart);

/// The y axis around the drawn values; a logarithmic one falls back to linear if no value is above
/// 0.
AxisView y_axis(const model::Extremes& range, bool logarithmic, int height);
/// The x axis over the window. On the time axis, a window that ends after the newest step is
/// extended at the pace so far.
AxisView x_axis(const model::RunModel& model, const XScale& scale, const model::Window& window,
                int pixels);
/// The same for a part of the axis, from `low` to `high`.
AxisView x_axis_between(const model::RunModel& model, XAxis what, double low, double high,
                        int pixels);

/// Markers for drops of the learning rate, past and planned, for restarts, and for "now" while the
/// run is active.
std::vector<MarkerView> run_markers(const model::RunModel& model, const RunContext& context,
                                    const XScale& scale);

/// Facts about the start, shown instead of lines before the first step.
Sentence no_steps_yet(const model::RunModel& model, const RunContext& context,
                      const BaselineContext& baseline);

/// Ranks drawn as lines: all up to kMaxRankLines; above that, only those that failed or whose loss
/// is NaN or Inf.
std::vector<Rank> drawn_ranks(const model::RunModel& model);
bool is_hidden(const ChartChoice& choice, Rank rank);
bool has_failed(const model::RankModel& rank);
std::size_t first_of(const model::Window& window);
std::size_t end_of(const model::Window& window);

}  // namespace ringside::view
