// The charts of compared runs: the list of charts, the lines of each, and the values at one
// position of the x axis. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/chart/chart_menu.h"
#include "gui/view/choices.h"
#include "gui/view/run_context.h"

namespace ringside::launch {
struct SavedProgram;
}

namespace ringside::view {

struct ComparedRun {
  const model::RunModel* model = nullptr;
  RunContext context;
  bool settings_read = true;  ///< false: the model has defaults instead of the run's settings
  const launch::SavedProgram* program = nullptr;  ///< null: our trainer, or no files were stored
  std::string name{};                             ///< as in the list of runs
  std::string note{};
};
using ComparedRuns = std::span<const ComparedRun>;

namespace label {
inline constexpr const char* kNoLogInView =
    "Drawn on a linear scale: a value of zero or below is in view, and it has no logarithm.";
}  // namespace label

/// A chart that can be chosen. Values that a program named have keys with a prefix, so that its
/// "loss" is not confused with ours.
struct ComparedChart {
  std::string key;    ///< "loss", "accuracy", "grad_norm", "scalar:NAME"; the same in all runs
  std::string title;  ///< "Train loss", "Val accuracy %", "Grad norm", NAME
};
std::string scalar_key(const std::string& name);
/// Returns the name in a key of scalar_key(); empty for other keys.
std::optional<std::string> scalar_name(const std::string& key);

/// Lists loss and accuracy, then metrics of steps that at least one run has, then logged values,
/// those of the first run first.
std::vector<ComparedChart> compared_charts(ComparedRuns runs);

/// Return the next key: after the last chart all charts, after the last run the first run.
std::string next_chart(ComparedRuns runs, const std::string& key);
std::string next_baseline(ComparedRuns runs, const std::string& id);

/// Returns "A" for the first run.
std::string letter_of(std::size_t place);

/// Builds the chart of this key with a line per run; an unknown key gives an empty chart. The axis
/// falls back to steps if one of the runs lacks it. Accuracies are points of whole epochs and are
/// not smoothed.
ChartView build_compare_chart(ComparedRuns runs, const CompareChoice& choice,
                              const std::string& key, int pixels, int height);

/// Builds the menu of the chart of this key; a change applies to all charts.
Menu compare_chart_menu(const CompareChoice& choice, const std::string& key);

/// Returns each line's value nearest to `x`, smoothed before raw; a dash if its run had not begun
/// or had ended there. `names`: names of the runs by index.
ReadoutView compare_readout(const ChartView& chart, std::span<const std::string> names, double x);

/// Return the choice with another range of the x axis: zoomed magnifies around `x` by this number
/// of wheel notches, moved shifts the content to the right by `dragged`.
CompareChoice zoomed(const CompareChoice& choice, const ChartView& chart, double x, double notches);
CompareChoice moved(const CompareChoice& choice, const ChartView& chart, double dragged);

}  // namespace ringside::view
