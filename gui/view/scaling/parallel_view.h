// A study of settings as parallel coordinates: an axis for each setting that is varied and one for
// the metric, a line for each combination. One builder for the window and the files. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/scaling/study_facts.h"

namespace ringside::view {

struct ParallelAxis {
  std::string label;        ///< "optimizer.lr", "Val acc %"
  std::vector<Tick> ticks;  ///< at 0, the bottom, up to 1
};

struct ParallelLine {
  std::string key;         ///< of the setting
  std::vector<double> at;  ///< on each axis, as its ticks; NaN: not known
  double strength = 0;     ///< 1: the best by the metric, 0: the worst, or not known
  bool known = false;      ///< the metric is
  bool best = false;
  std::string hint;  ///< values, what it reached, its runs
  std::string run;   ///< that stands for its repeats; empty: none was made

  /// The axis on which it ends: the metric's, else the one before.
  std::size_t end() const { return at.size() - (known ? 1 : 2); }
};

/// A metric that the study can be ranked by.
struct MetricChoice {
  std::string key;    ///< "val_accuracy"
  std::string label;  ///< "Val acc"
};

struct ParallelView {
  std::string title;                  ///< "Settings and final validation accuracy"
  std::string subtitle;               ///< how to read it, or why nothing is ranked
  std::vector<ParallelAxis> axes;     ///< empty: the study is none of settings, or one of pairs
  std::vector<ParallelLine> lines;    ///< in the order they are drawn: the best over all others
  std::vector<MetricChoice> metrics;  ///< those that are known
  std::size_t metric = 0;             ///< the one that counts, among them
};

ParallelView build_parallel_view(const StudyFacts& facts);

}  // namespace ringside::view
