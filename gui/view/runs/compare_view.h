// Up to eight runs over one another: their loss and accuracy on one axis, the time each took for
// the same epochs, and the settings in which they differ. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/run_context.h"
#include "gui/view/table.h"

namespace ringside::launch {
struct KeptProgram;
}

namespace ringside::view {

inline constexpr std::size_t kMostCompared = 8;

struct ComparedRun {
  const model::RunModel* model = nullptr;
  RunContext context;
  bool settings_read = true;                     ///< false: those of the model are nobody's
  const launch::KeptProgram* program = nullptr;  ///< null: nothing was kept of it, or it is ours
};

/// One of the compared runs. Times are those of the epochs that all of them have completed.
struct ComparedHead {
  std::string id;
  std::string letter;  ///< "A", by place
  std::string label;   ///< "#1042 4 GPUs"
  std::string hint;    ///< "training, epoch 47/60"
  std::string time;    ///< "7:34"
  std::string ratio;   ///< its time / that of A, "341 %"
  double share = 0;    ///< of the longest time, 0 .. 1
};

struct CompareView {
  std::vector<ComparedHead> runs;
  ChartView loss;
  ChartView accuracy;
  std::vector<std::string> metrics;  ///< names that at least one of the runs has logged
  std::string metric;                ///< the one of them that is chosen; empty: none
  ChartView metric_chart;
  std::string ratio;        ///< of two: "B takes 341 % of A's time"
  std::string same_epochs;  ///< "46 epochs"
  Table differences;        ///< a row per setting, then per part of the programs; a column per run
  std::string differs;      ///< "7 of 41 settings and the program"
  Sentence verdict;         ///< "Same model, data, seed, epochs and evaluation: a fair pair."
  bool fair = false;
  Sentence empty;  ///< fewer than two are marked, or none is read yet
};

/// `axis` falls back to steps where one of the runs cannot give it. `metric`: the named value that
/// is compared too; empty, or of no run: none.
CompareView build_compare_view(std::span<const ComparedRun> runs, XAxis axis, int pixels,
                               int height, const std::string& metric = {});

}  // namespace ringside::view
