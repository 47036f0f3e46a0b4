#include "gui/view/chart/x_scale.h"

#include <algorithm>
#include <iterator>

#include "gui/analysis/progress.h"
#include "gui/analysis/stops.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::view {
namespace {

double samples_per_step(const model::RunModel& model) {
  double samples = 0;
  for (const Rank rank : model.ranks()) {
    if (!analysis::counts_samples(model, rank)) continue;
    const auto& series = model.rank(rank)->series(model::Metric::kSamples);
    // The first step has a full batch; the last step of an epoch may not have one.
    const float first =
        series.at(static_cast<std::size_t>(std::max<Step>(0, model.rank(rank)->first_step)));
    if (first > 0) samples += static_cast<double>(first);
  }
  return samples;
}

}  // namespace

TimeScale::TimeScale(const model::RunModel& model) {
  std::int64_t total_ns = 0;
  for (const analysis::Stop& stop : analysis::stops(model)) {
    pauses_.push_back({stop.begin_ns, stop.end_ns, total_ns});
    total_ns += stop.end_ns - stop.begin_ns;
  }
  const std::int64_t trained = model.training_began_ns();
  began_ns_ = trained_ns(trained > 0 ? trained : model.first_ns());
}

const TimeScale::Pause* TimeScale::last_begun(std::int64_t at_ns) const {
  const auto after = std::ranges::upper_bound(pauses_, at_ns, {}, &Pause::begin_ns);
  return after == pauses_.begin() ? nullptr : &*std::prev(after);
}

std::int64_t TimeScale::trained_ns(std::int64_t at_ns) const {
  const Pause* const pause = last_begun(at_ns);
  if (pause == nullptr) return at_ns;
  return pause->begin_ns - pause->before_ns + std::max<std::int64_t>(0, at_ns - pause->end_ns);
}

double TimeScale::seconds(std::int64_t at_ns) const {
  return static_cast<double>(trained_ns(at_ns) - began_ns_) / 1e9;
}

std::int64_t TimeScale::ns_at(double seconds) const {
  const std::int64_t trained = began_ns_ + static_cast<std::int64_t>(seconds * 1e9);
  const auto after = std::ranges::lower_bound(
      pauses_, trained, {}, [](const Pause& pause) { return pause.begin_ns - pause.before_ns; });
  if (after == pauses_.begin()) return trained;
  const Pause& pause = *std::prev(after);
  return trained + pause.before_ns + (pause.end_ns - pause.begin_ns);
}

bool TimeScale::paused_at(std::int64_t at_ns) const {
  const Pause* const pause = last_begun(at_ns);
  return pause != nullptr && pause->begin_ns < at_ns && at_ns < pause->end_ns;
}

bool TimeScale::paused_between(double from_s, double to_s) const {
  // Positions on the axis were converted from nanoseconds and may be off by rounding.
  constexpr double kRounding = 1e-6;
  return std::ranges::any_of(pauses_, [&](const Pause& pause) {
    const double at = seconds(pause.begin_ns);
    return from_s <= at + kRounding && at + kRounding < to_s;
  });
}

XScale::XScale(const model::RunModel& model, XAxis axis) : model_(&model), axis_(axis) {
  if (axis == XAxis::kEpoch) {
    const std::int64_t steps = model.steps_per_epoch();
    if (steps > 0) per_step_ = 1.0 / static_cast<double>(steps);
    if (steps <= 0) axis_ = XAxis::kStep;
  } else if (axis == XAxis::kSamples) {
    const double samples = samples_per_step(model);
    if (samples > 0) per_step_ = samples;
    if (samples <= 0) axis_ = XAxis::kStep;
  } else if (axis == XAxis::kTime) {
    for (const Rank rank : model.ranks()) {
      if (clock_rank_ == nullptr && model.rank(rank)->end_ns.size() > 0)
        clock_rank_ = model.rank(rank);
    }
    if (clock_rank_ == nullptr) axis_ = XAxis::kStep;
    if (clock_rank_ != nullptr) time_ = TimeScale(model);
  }
}

double XScale::seconds_at(const model::RankModel& rank, double step) const {
  return step < 0 ? 0 : time_.seconds(end_ns(rank, step));
}

std::int64_t XScale::end_ns(const model::RankModel& rank, double step) const {
  const std::size_t last = rank.end_ns.size() - 1;
  std::size_t at = std::min(static_cast<std::size_t>(step), last);
  // A step whose report was lost ended at some time before the next known one.
  while (at < last && model::is_absent(rank.end_ns.at(at))) ++at;
  return rank.end_ns.at(at);
}

double XScale::x_of(double step) const {
  return axis_ == XAxis::kTime ? seconds_at(*clock_rank_, step) : step * per_step_;
}

double XScale::x_of(double step, const model::RankModel& rank) const {
  return axis_ == XAxis::kTime && rank.end_ns.size() > 0 ? seconds_at(rank, step) : x_of(step);
}

double XScale::step_of(double x) const {
  if (axis_ != XAxis::kTime) return x / per_step_;
  std::size_t low = 0;
  std::size_t high = clock_rank_->end_ns.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (seconds_at(*clock_rank_, static_cast<double>(middle)) < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<double>(low);
}

}  // namespace ringside::view
