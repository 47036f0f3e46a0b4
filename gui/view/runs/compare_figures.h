// Final figures of compared runs as one table: a row for each run under each figure, with
// difference and ratio to one of them. Pure.
#pragma once

#include "gui/view/runs/compare_charts.h"
#include "gui/view/table.h"

namespace ringside::view {

/// How long each run took for the epochs that all have completed, seconds; NaN: not known.
struct CommonEpochs {
  Epoch epochs = 0;
  std::vector<double> seconds;
};
CommonEpochs common_epochs(ComparedRuns runs);

/// Loss, validation accuracy, samples/s and time, then every value that two of the runs or more
/// logged under one name; `with_steps`: then every metric of a step that two measured. Its columns:
/// figure, its key, run (id), value, difference, ratio. What is not known, and what the baseline
/// would say of itself, is a dash.
Table compare_figures(ComparedRuns runs, std::size_t baseline, bool with_steps = false);

/// The rows of these figures alone, which are named by their key, or by what a program called them;
/// `unknown` gets the first name that is none of them.
Table with_figures(const Table& figures, const std::vector<std::string>& names,
                   std::string& unknown);
/// All names that it takes.
std::vector<std::string> figure_names(const Table& figures);

}  // namespace ringside::view
