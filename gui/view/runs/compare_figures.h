// Final figures of compared runs as one table: a row per run for each figure, with difference and
// ratio to the baseline among them. Pure.
#pragma once

#include "gui/view/runs/compare_charts.h"
#include "gui/view/table.h"

namespace ringside::view {

/// The time of each run for the epochs that all have completed, in seconds; NaN: unknown.
struct CommonEpochs {
  Epoch epochs = 0;
  std::vector<double> seconds;
};
CommonEpochs common_epochs(ComparedRuns runs);

/// Loss, validation accuracy, samples/s and time, then every scalar that at least two of the runs
/// logged; `with_steps`: then every metric of steps that two measured. Columns: figure, its key,
/// run (id), value, difference, ratio. Unknown cells, and differences of the baseline to itself,
/// are dashes.
Table compare_figures(ComparedRuns runs, std::size_t baseline, bool with_steps = false);

/// The rows of these figures only, named by their key or by the program's name for them; `unknown`
/// gets the first name that is not a figure.
Table with_figures(const Table& figures, const std::vector<std::string>& names,
                   std::string& unknown);
/// All names that with_figures() accepts.
std::vector<std::string> figure_names(const Table& figures);

}  // namespace ringside::view
