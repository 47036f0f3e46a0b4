// The charts of compared runs: which there are, a line per run in each, and what all of them say at
// one place of the x axis. Pure.
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
struct KeptProgram;
}

namespace ringside::view {

struct ComparedRun {
  const model::RunModel* model = nullptr;
  RunContext context;
  bool settings_read = true;  ///< false: the model has defaults instead of the run's settings
  const launch::KeptProgram* program = nullptr;  ///< null: our trainer, or no files were stored
  std::string name{};                            ///< as the list of runs has it
  std::string note{};
};
using ComparedRuns = std::span<const ComparedRun>;

namespace label {
inline constexpr const char* kNoLogInView =
    "Drawn on a linear scale: a value of zero or below is in view, and it has no logarithm.";
}  // namespace label

/// A chart that can be chosen. What a program named itself has a key of its own kind, so that its
/// "loss" is not taken for ours.
struct ComparedChart {
  std::string key;    ///< "loss", "accuracy", "grad_norm", "scalar:NAME"; stays from run to run
  std::string title;  ///< "Train loss", "Val accuracy %", "Grad norm", NAME
};
std::string scalar_key(const std::string& name);
/// The name in such a key; nothing in the others.
std::optional<std::string> scalar_name(const std::string& key);

/// Loss and accuracy, then what at least one of the runs measured in its steps, then what one
/// logged, those of the first run first.
std::vector<ComparedChart> compared_charts(ComparedRuns runs);

/// The keys that come after these: all charts after the last, the first run after the last.
std::string next_chart(ComparedRuns runs, const std::string& key);
std::string next_baseline(ComparedRuns runs, const std::string& id);

/// "A" of the first.
std::string letter_of(std::size_t place);

/// The chart of that key, a line per run; of an unknown one it is empty. The axis falls back to
/// steps where one of the runs cannot give it; accuracies are points of whole epochs and are not
/// smoothed.
ChartView build_compare_chart(ComparedRuns runs, const CompareChoice& choice,
                              const std::string& key, int pixels, int height);

/// The menu of the chart of that key; what it changes holds for all of them.
Menu compare_chart_menu(const CompareChoice& choice, const std::string& key);

/// What each line says nearest to `x`, the smoothed value before the raw one; a dash where its run
/// had not begun or had ended. `names`: of the runs, by their place.
ReadoutView compare_readout(const ChartView& chart, std::span<const std::string> names, double x);

/// The same choice with another stretch of the x axis: the wheel brings `x` closer by so many
/// notches, a pull moves what is shown by `dragged` to the right.
CompareChoice zoomed(const CompareChoice& choice, const ChartView& chart, double x, double notches);
CompareChoice moved(const CompareChoice& choice, const ChartView& chart, double dragged);

}  // namespace ringside::view
