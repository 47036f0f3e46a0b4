// A goal of a source: time saved and accuracy, on exactly this number of devices. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "gui/analysis/scaling/speedup.h"

namespace ringside::analysis {

struct GateLimits {
  std::int64_t ranks = 2;
  double least_time_cut = 0.4;      ///< share of the baseline's time; 0.4 is a speedup of 1.67
  double val_accuracy_above = 0.7;  ///< 0 .. 1
};

struct Gate {
  bool decided = false;
  std::string why;  ///< why it cannot be decided; empty if it can
  double time_cut = 0;
  double val_accuracy = 0;
  bool fast_enough = false;
  bool accurate_enough = false;
  bool passed() const { return decided && fast_enough && accurate_enough; }
};

/// Compares with the baseline of `speedup`. Undecided for another number of ranks, without a
/// baseline, or without a validation.
Gate gate(const model::RunModel& run, const Speedup& speedup, const GateLimits& limits);

}  // namespace ringside::analysis
