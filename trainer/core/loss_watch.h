// Whether the loss of a rank is beyond repair: no number any more, or far above what it was before
// anything was learnt. Pure; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "protocol/base/ids.h"

namespace ringside::core {

/// Verdicts in the order of what is worse: ranks agree on the largest.
enum class LossVerdict : std::uint8_t { kFine, kDiverged, kNotFinite };

class LossWatch {
 public:
  /// `stop_on`: train.stop_on.
  explicit LossWatch(std::string_view stop_on);

  /// False: nothing ends the run.
  bool on() const { return nan_; }
  /// The loss of each step, in order. A step whose loss is not known says nothing.
  void add(Step step, float loss);
  /// The worst so far; it never gets better.
  LossVerdict verdict() const { return verdict_; }
  /// Step of the verdict; -1: it is fine.
  Step step() const { return step_; }

 private:
  static constexpr std::size_t kWindow = 50;  ///< steps
  bool has_diverged() const;
  void judge(LossVerdict verdict, Step step);

  bool nan_;
  bool divergence_;
  double first_ = 0;  ///< loss of the run's first step; 0: not seen, as after a resume
  double sum_ = 0;    ///< of `newest_`
  std::deque<double> newest_;
  LossVerdict verdict_ = LossVerdict::kFine;
  Step step_ = -1;
};

/// Why all ranks end, for a verdict that is not kFine. `own`: what this rank saw itself.
std::string failure_text(LossVerdict verdict, const LossWatch& own);

}  // namespace ringside::core
