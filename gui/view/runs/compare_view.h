// Up to eight runs over one another: their charts on one axis, what each came to against one of
// them, the time each took for the same epochs, and the settings in which they differ. Pure.
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
  std::string letter;  ///< "A", by place
  std::string label;   ///< "#1042 4 GPUs"
  std::string hint;    ///< "training, epoch 47/60"
  std::string name;    ///< as the list of runs has it; empty: not known
  std::string note;    ///< that a person wrote
  std::string time;    ///< "7:34"
  std::string ratio;   ///< its time / that of the baseline, "341 %"
  double share = 0;    ///< of the longest time, 0 .. 1
};

struct CompareView {
  std::vector<ComparedHead> runs;
  std::size_t baseline = 0;           ///< place of the run that the others are held against
  std::vector<ComparedChart> charts;  ///< that can be chosen
  std::string chart;                  ///< key of the one that fills the panel; empty: none
  ChartView alone;                    ///< that one; else these:
  ChartView loss;
  ChartView accuracy;
  std::string metric;    ///< key of the third; empty: none
  bool repeats = false;  ///< some of them repeat one recipe
  ChartView metric_chart;
  Table figures;      ///< as compare_figures.h says
  Table all_figures;  ///< where step_figures asks for it: with metrics of steps, of which a person
                      ///< names some
  std::string ratio;  ///< of two: "B takes 341 % of A's time"
  std::string same_epochs;  ///< "46 epochs"
  Table differences;        ///< a row per setting, part of the programs, fact of where they ran
  std::string differs;      ///< "7 of 41 settings and the program"
  Sentence verdict;         ///< "Same model, data, seed, epochs and evaluation: a fair pair."
  bool fair = false;
  Sentence empty;  ///< fewer than two are marked, or none is read yet
};

/// `height`: of a chart's plot, to which its labels are fitted.
CompareView build_compare_view(ComparedRuns runs, const CompareChoice& choice, int pixels,
                               int height);

/// All of it as tables: the runs, their figures (these alone, where some are named), what differs
/// with the verdict below it.
std::vector<Table> compare_tables(const CompareView& view,
                                  const std::vector<std::string>& figures = {});

/// What a read-out calls the runs: "A  lr 0.1".
std::vector<std::string> readout_names(const CompareView& view);

}  // namespace ringside::view
