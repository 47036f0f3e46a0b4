// A study of settings as parallel coordinates: an axis for each varied setting and one for the
// metric, a line for each combination. One builder for the window and the files. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/scaling/study_facts.h"

namespace ringside::view {

struct ParallelAxis {
  std::string label;        ///< "optimizer.lr", "Val acc %"
  std::vector<Tick> ticks;  ///< from 0, the bottom, to 1
};

struct ParallelLine {
  std::string key;         ///< key of the setting
  std::vector<double> at;  ///< position on each axis, as for its ticks; NaN: not known
  double strength = 0;     ///< 1: the best by the metric; 0: the worst, or not known
  bool known = false;      ///< whether the metric is known
  bool best = false;
  std::string hint;  ///< values of the settings, value of the metric, runs
  std::string run;   ///< id of the run that a click opens; empty: none was started

  /// Returns the index of the axis on which the line ends: the metric's, else the one before it.
  std::size_t end() const { return at.size() - (known ? 1 : 2); }
};

struct MetricChoice {
  std::string key;    ///< "val_accuracy"
  std::string label;  ///< "Val acc"
};

struct ParallelView {
  std::string title;                  ///< "Settings and final validation accuracy"
  std::string subtitle;               ///< how to read the chart, or why nothing is ranked
  std::vector<ParallelAxis> axes;     ///< empty: the study compares devices or pairs of runs
  std::vector<ParallelLine> lines;    ///< in drawing order: the best last, over all others
  std::vector<MetricChoice> metrics;  ///< the metrics with known values
  std::size_t metric = 0;             ///< index of the chosen one
};

ParallelView build_parallel_view(const StudyFacts& facts);

}  // namespace ringside::view
