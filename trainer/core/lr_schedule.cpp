#include "trainer/core/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ringside::core {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

double step_rate(double base, const messages::ScheduleSpec& schedule, Epoch epoch) {
  const std::int64_t every = std::max<std::int64_t>(1, schedule.step_epochs);
  double rate = base;
  for (std::int64_t drop = every; drop <= epoch; drop += every) rate *= schedule.gamma;
  return rate;
}

double multistep_rate(double base, const messages::ScheduleSpec& schedule, Epoch epoch) {
  double rate = base;
  for (const std::int64_t milestone : schedule.milestones) {
    if (milestone <= epoch) rate *= schedule.gamma;
  }
  return rate;
}

// Half a cosine wave from `from` at 0 to `to` at 1.
double half_wave(double from, double to, double share) {
  return to + (from - to) * 0.5 * (1.0 + std::cos(std::numbers::pi * share));
}

// Smith and Topin, 2017, in the two phases of PyTorch, which end one step earlier there.
double onecycle_rate(double top, const messages::ScheduleSpec& schedule, double step,
                     double total) {
  const double start = top / schedule.div_factor;
  const double end = start / schedule.final_div_factor;
  const double turn = schedule.rise * total - 1.0;
  const double last = total - 1.0;
  if (step <= turn) return turn > 0.0 ? half_wave(start, top, step / turn) : top;
  const double span = last - turn;
  return span > 0.0 ? half_wave(top, end, (step - turn) / span) : end;
}

}  // namespace

SchedulePosition schedule_position(const messages::BatchFacts& facts, Epoch epoch, Step step) {
  return {epoch, step, facts.total_steps, facts.lr_scale};
}

double learning_rate(const messages::OptimizerSpec& optimizer,
                     const messages::ScheduleSpec& schedule, const SchedulePosition& position) {
  const double base = optimizer.lr * position.lr_scale;
  const std::int64_t total = std::max<std::int64_t>(1, position.total_steps);
  double rate = base;
  if (schedule.name == "step") {
    rate = step_rate(base, schedule, position.epoch);
  } else if (schedule.name == "multistep") {
    rate = multistep_rate(base, schedule, position.epoch);
  } else if (schedule.name == "cosine") {
    const double share = number(std::min<std::int64_t>(position.step, total)) / number(total);
    rate = half_wave(base, schedule.min_lr, share);
  } else if (schedule.name == "onecycle") {
    const double step = number(std::min<std::int64_t>(position.step, total - 1));
    rate = onecycle_rate(base, schedule, step, number(total));
  }
  if (position.step >= schedule.warmup_steps) return rate;
  const double done = number(position.step) / number(schedule.warmup_steps);
  return rate * (schedule.warmup_factor + (1.0 - schedule.warmup_factor) * done);
}

}  // namespace ringside::core
