// Detects that the loss of a rank will not recover: NaN or Inf, or far above the loss at the start.
// Pure; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "protocol/base/ids.h"

namespace ringside::core {

/// Verdicts by increasing severity; the ranks agree on the largest.
enum class LossVerdict : std::uint8_t { kFine, kDiverged, kNotFinite };

class LossWatch {
 public:
  /// `stop_on` is train.stop_on.
  explicit LossWatch(std::string_view stop_on);

  /// False when no loss ends the run.
  bool on() const { return nan_; }
  /// Adds the loss of each step in order. An unknown loss is ignored.
  void add(Step step, float loss);
  /// The worst verdict so far; never improves.
  LossVerdict verdict() const { return verdict_; }
  /// Step of the verdict; -1: none.
  Step step() const { return step_; }

 private:
  static constexpr std::size_t kWindow = 50;  ///< steps
  bool has_diverged() const;
  void judge(LossVerdict verdict, Step step);

  bool nan_;
  bool divergence_;
  double first_ = 0;  ///< loss of the run's first step; 0: unknown, as after a resume
  double sum_ = 0;    ///< sum of `newest_`
  std::deque<double> newest_;
  LossVerdict verdict_ = LossVerdict::kFine;
  Step step_ = -1;
};

/// Why all ranks end, for a verdict other than kFine. `own` is what this rank itself observed.
std::string failure_text(LossVerdict verdict, const LossWatch& own);

}  // namespace ringside::core
