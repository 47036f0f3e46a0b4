// Compares up to eight runs: their charts on one axis, their figures relative to one of them, their
// times for the same epochs, and the settings in which they differ. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/view/runs/compare_charts.h"
#include "gui/view/table.h"

namespace ringside::view {

inline constexpr std::size_t kMostCompared = 8;

/// The head of one compared run. Times cover the epochs that all compared runs have completed.
struct ComparedHead {
  std::string id;
  std::string letter;  ///< "A", by index
  std::string label;   ///< "#1042 4 GPUs"
  std::string hint;    ///< "training, epoch 47/60"
  std::string name;    ///< as in the list of runs; empty: unknown
  std::string note;    ///< written by a person
  std::string time;    ///< "7:34"
  std::string own;     ///< name without the words with which all of these runs' names begin
  std::string ratio;   ///< its time / that of the baseline, "341 %"
  double share = 0;    ///< relative to the longest time, 0 .. 1
};

struct CompareView {
  std::vector<ComparedHead> runs;
  std::size_t baseline = 0;           ///< index of the run that the others are compared with
  std::vector<ComparedChart> charts;  ///< charts to choose from
  std::string chart;                  ///< key of the chart that fills the panel; empty: none
  ChartView alone;                    ///< that chart; otherwise the following ones:
  ChartView loss;
  ChartView accuracy;
  std::string metric;    ///< key of the third chart; empty: none
  bool repeats = false;  ///< some of the runs are repeats of each other
  ChartView metric_chart;
  Table figures;  ///< see compare_figures.h
  /// Figures with metrics of steps, if step_figures requests them; a person names some of them.
  Table all_figures;
  std::string ratio;        ///< for two runs: "B takes 341 % of A's time"
  std::string same_epochs;  ///< "46 epochs"
  /// A row per setting, part of the programs, and fact about machines and software.
  Table differences;
  std::string differs;  ///< "7 of 41 settings and the program"
  Sentence verdict;     ///< "Same model, data, seed, epochs and evaluation: a fair pair."
  bool fair = false;
  Sentence empty;  ///< fewer than two runs are marked, or none has been read yet
};

/// `height`: of a chart's plot, for the layout of its labels.
CompareView build_compare_view(ComparedRuns runs, const CompareChoice& choice, int pixels,
                               int height);

/// The whole view as tables: the runs, their figures (if some are named, only these), and the
/// differences with the verdict as a note.
std::vector<Table> compare_tables(const CompareView& view,
                                  const std::vector<std::string>& figures = {});

/// Names of the runs in a read-out: "A  lr 0.1".
std::vector<std::string> readout_names(const CompareView& view);

}  // namespace ringside::view
