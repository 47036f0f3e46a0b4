#include "trainer/core/loss_watch.h"

#include <algorithm>
#include <cmath>

#include "protocol/messages/record_types.h"

namespace ringside::core {

LossWatch::LossWatch(std::string_view stop_on)
    : nan_(stop_on == "nan" || stop_on == "divergence"), divergence_(stop_on == "divergence") {}

void LossWatch::add(Step step, float loss) {
  if (!nan_ || messages::is_unknown(loss)) return;
  if (!std::isfinite(loss)) return judge(LossVerdict::kNotFinite, step);
  const auto value = static_cast<double>(loss);
  if (step == 0) first_ = value;
  if (!divergence_ || first_ <= 0) return;
  // A single loss is capped, so that one bad batch does not end the run.
  const double counted = std::min(value, 4 * first_);
  newest_.push_back(counted);
  sum_ += counted;
  if (newest_.size() > kWindow) {
    sum_ -= newest_.front();
    newest_.pop_front();
  }
  if (has_diverged()) judge(LossVerdict::kDiverged, step);
}

bool LossWatch::has_diverged() const {
  return newest_.size() == kWindow && sum_ > 2 * first_ * static_cast<double>(kWindow);
}

void LossWatch::judge(LossVerdict verdict, Step step) {
  if (verdict <= verdict_) return;
  verdict_ = verdict;
  step_ = step;
}

std::string failure_text(LossVerdict verdict, const LossWatch& own) {
  std::string text =
      verdict == LossVerdict::kNotFinite
          ? "the loss is NaN or Inf"
          : "the loss has diverged: over 50 steps it is twice that of the first step";
  if (own.verdict() == verdict) text += ", on this rank in step " + std::to_string(own.step() + 1);
  return text + "; train.stop_on ends the run for it";
}

}  // namespace ringside::core
