// Shared parts of the views that compare a run or a study with its published source. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/view/experiment/experiment_view.h"
#include "gui/view/published.h"

namespace ringside::view {

/// A published figure that was compared with ours.
struct ComparedFigure {
  std::string name;  ///< "speedup on 2"
  FigureMatch match;
};
/// Says how many of the figures match, and which do not.
ExperimentVerdict figures_verdict(const std::vector<ComparedFigure>& figures);

/// "time saved 45.0 % (goal: at least 40 %), validation accuracy 71.00 % (goal: above 70 %)"
std::string gate_words(double time_cut, double val_accuracy, const launch::PublishedGate& goal);
ExperimentVerdict gate_verdict(bool fast_enough, bool accurate_enough, std::string text);
ExperimentVerdict not_judged(std::string key, std::string why);

/// Whether a published gain of accuracy is between runs on the same number of devices.
inline bool is_ablation(const launch::PublishedFigure& figure) {
  return figure.what == "accuracy_delta" && figure.against == "same_devices" && figure.value;
}
/// The standard error of the gain of a run over its baseline, from the number of samples counted.
double counting_error(const analysis::SharedValidation& both);
/// The match of a gain; not judged if the gain is within twice its standard error.
FigureMatch gain_match(const launch::PublishedFigure& figure, double gain, double error,
                       bool as_published);

/// Pairs of a run and a baseline that differ only in the settings that the preset sets for its
/// baseline: our gain beside the published one, with one verdict on all pairs. Empty if the source
/// published no such gain.
struct Ablation {
  Table table;
  ExperimentVerdict verdict;
};
std::optional<Ablation> build_ablation(std::span<const ReportRun> runs);

/// Adds the source's tables, cell by cell as printed, except those that `tables` already has.
void add_source_tables(const launch::Published& published, const std::string& run,
                       std::vector<Table>& tables);

/// Removes tables without a row, and sets the column widths of the others for the window.
void finish(ExperimentView& view);

}  // namespace ringside::view
