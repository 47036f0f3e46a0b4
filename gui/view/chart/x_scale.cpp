#include "gui/view/chart/x_scale.h"

#include <algorithm>

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

StopTimes::StopTimes(const model::RunModel& model, std::int64_t began_ns) {
  const auto seconds = [began_ns](std::int64_t at_ns) {
    return static_cast<double>(at_ns - began_ns) / 1e9;
  };
  for (const analysis::Stop& stop : analysis::stops(model))
    stops_.emplace_back(seconds(stop.begin_ns), seconds(stop.end_ns));
}

bool StopTimes::between(double from_s, double to_s) const {
  // Positions on the axis were converted from nanoseconds and may be off by rounding.
  constexpr double kRounding = 1e-6;
  return std::any_of(stops_.begin(), stops_.end(), [=](const auto& stop) {
    return from_s <= stop.first + kRounding && stop.second <= to_s + kRounding;
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
    if (clock_rank_ != nullptr) stops_ = StopTimes(model, model.training_began_ns());
  }
}

double XScale::seconds_at(const model::RankModel& rank, double step) const {
  if (step < 0) return 0;
  const std::size_t last = rank.end_ns.size() - 1;
  std::size_t at = std::min(static_cast<std::size_t>(step), last);
  // A step whose report was lost ended at some time before the next known one.
  while (at < last && model::is_absent(rank.end_ns.at(at))) ++at;
  return static_cast<double>(rank.end_ns.at(at) - model_->training_began_ns()) / 1e9;
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
