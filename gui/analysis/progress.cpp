#include "gui/analysis/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/analysis/accuracy.h"
#include "gui/model/groups/group_store.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::Phase;
using model::Metric;

constexpr double kSecond = 1e9;

/// End of a step on the slowest rank that reported it; 0: none did.
std::int64_t step_end_ns(const model::RunModel& model, Step step) {
  std::int64_t latest = 0;
  for (const Rank rank : model.ranks()) {
    const std::int64_t at = model.rank(rank)->end_ns.at(static_cast<std::size_t>(step));
    if (!model::is_absent(at)) latest = std::max(latest, at);
  }
  return latest;
}

/// Begin of a step on the earliest rank; its end if its duration is unknown, as for the first step
/// of a script. 0: no rank reported it.
std::int64_t step_begin_ns(const model::RunModel& model, Step step) {
  const auto at = static_cast<std::size_t>(step);
  std::int64_t earliest = 0;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    const float took_ns = known.series(Metric::kStepTime).at(at);
    if (model::is_absent(known.end_ns.at(at))) continue;
    const std::int64_t begin =
        known.end_ns.at(at) - (took_ns >= 0 ? static_cast<std::int64_t>(took_ns) : 0);
    if (earliest == 0 || begin < earliest) earliest = begin;
  }
  return earliest;
}

/// First step of the current attempt.
Step attempt_begin(const model::RunModel& model) {
  Step begin = 0;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    const Step first = known.hello ? known.hello->first_step : 0;
    begin = std::max(begin, std::max(first, known.restarts > 0 ? first : known.first_step));
  }
  return begin;
}

/// Seconds per step in this attempt, including pauses between epochs; 0: unknown.
double pace_s(const model::RunModel& model, Step newest) {
  const Step first = attempt_begin(model);
  const std::int64_t first_end = step_end_ns(model, first);
  const std::int64_t last_end = step_end_ns(model, newest);
  if (newest < first || first_end == 0 || last_end == 0) return 0;
  if (newest > first)
    return static_cast<double>(last_end - first_end) / static_cast<double>(newest - first) /
           kSecond;
  const float step_ns = model.rank(model.ranks().front())
                            ->series(Metric::kStepTime)
                            .at(static_cast<std::size_t>(first));
  return step_ns > 0 ? static_cast<double>(step_ns) / kSecond : 0;
}

/// Time of the last action of an epoch on any rank: its passes and its checkpoint.
std::int64_t epoch_end_ns(const model::RunModel& model, Epoch epoch) {
  std::int64_t latest = 0;
  for (const Rank rank : model.ranks()) {
    for (const Phase phase : {Phase::kTrain, Phase::kValidate, Phase::kTest}) {
      const auto* entry = model.rank(rank)->epoch(phase, epoch);
      if (entry != nullptr) latest = std::max(latest, entry->at_ns);
    }
  }
  const Step steps = model.steps_per_epoch() * (epoch + 1);
  for (const auto& saved : model.checkpoints()) {
    // Checkpoints of a later epoch are excluded: one made by a stop within it names this epoch,
    // too.
    if (saved.checkpoint.epoch == epoch && saved.checkpoint.step <= steps)
      latest = std::max(latest, saved.stamp.mono_ns);
  }
  return latest;
}

/// Time since the first step, without the time between attempts.
std::int64_t trained_ns(const model::RunModel& model, std::int64_t until_ns) {
  std::int64_t trained = until_ns - model.training_began_ns();
  for (const Stop& stop : left_out(model, until_ns)) trained -= stop.end_ns - stop.begin_ns;
  return std::max<std::int64_t>(0, trained);
}

/// Exclusive end of the steps below `end` that had ended by `until_ns`.
Step steps_until(const model::RunModel& model, Step end, std::int64_t until_ns) {
  while (end > 0 && step_end_ns(model, end - 1) > until_ns) --end;
  return end;
}

bool began_at_zero(const model::RunModel& model) {
  return std::ranges::all_of(model.ranks(), [&](Rank rank) {
    return model.rank(rank)->first_step == model.rank(rank)->joined;
  });
}

bool evaluates(const model::RunModel& model, Epoch epoch) {
  const auto& evaluate = model.spec().evaluate;
  if (evaluate.mode == "none") return false;
  return evaluate.every_epochs > 0 ? (epoch + 1) % evaluate.every_epochs == 0
                                   : epoch + 1 == model.epochs_planned();
}

bool epoch_complete(const model::RunModel& model, Epoch epoch) {
  const auto train = pass_of(model, Phase::kTrain, epoch);
  if (!train || !train->reported || !trained_to_its_end(model, *train)) return false;
  if (!evaluates(model, epoch) || model::has_ended(model)) return true;
  const auto validation = pass_of(model, Phase::kValidate, epoch);
  if (validation && validation->complete) return true;
  return std::ranges::any_of(model.ranks(),
                             [&](Rank rank) { return model.rank(rank)->newest_epoch > epoch; });
}

double slowest_seconds(const model::RunModel& model, Phase phase) {
  double total = 0;
  for (const PassResult& pass : passes(model, phase)) total += pass.seconds;
  return total;
}

}  // namespace

Progress progress(const model::RunModel& model, std::int64_t now_ns) {
  Progress result;
  result.epochs = model.epochs_planned();
  result.steps_per_epoch = model.steps_per_epoch();
  result.steps_planned = model.steps_planned();
  const Step newest = model.newest_common_step();
  result.steps_done = newest + 1;
  if (result.steps_per_epoch > 0) {
    result.epoch = static_cast<Epoch>(std::max<Step>(0, newest) / result.steps_per_epoch);
    result.step_in_epoch = result.steps_done - result.epoch * result.steps_per_epoch;
  } else if (!model.ranks().empty()) {
    result.epoch = model.rank(model.ranks().front())->newest_epoch;
  }
  if (result.steps_planned > 0) {
    result.share = std::clamp(
        static_cast<double>(result.steps_done) / static_cast<double>(result.steps_planned), 0.0,
        1.0);
  }
  const bool over = model::has_ended(model);
  if (const std::int64_t began = began_ns(model); began > 0) {
    const auto& state = model.run_state();
    const bool waits = state && state->state == messages::State::kQueued;
    const std::int64_t until = over || waits ? model.last_ns() : std::max(now_ns, model.last_ns());
    result.elapsed_s = static_cast<double>(until - began) / kSecond - stopped_s(model);
  }
  const double pace = newest >= 0 ? pace_s(model, newest) : 0;
  if (!over && pace > 0 && result.steps_planned > 0) {
    result.eta_s = pace * static_cast<double>(
                              std::max<std::int64_t>(0, result.steps_planned - result.steps_done));
  }
  return result;
}

std::int64_t began_ns(const model::RunModel& model) {
  const auto queued = [](const auto& change) {
    return change.state.state == messages::State::kQueued;
  };
  const auto states = model.run_states();
  if (states.empty() || !queued(states.front())) return model.first_ns();
  const auto left = std::ranges::find_if_not(states, queued);
  return left == states.end() ? 0 : left->at_ns;
}

std::optional<double> wall_seconds(const model::RunModel& model) {
  const std::int64_t began = began_ns(model);
  if (began == 0 || model.last_ns() <= began) return std::nullopt;
  return static_cast<double>(model.last_ns() - began) / kSecond - stopped_s(model);
}

RunTimes run_times(const model::RunModel& model) {
  RunTimes times;
  times.train_pass_s = slowest_seconds(model, Phase::kTrain);
  times.evaluate_s =
      slowest_seconds(model, Phase::kValidate) + slowest_seconds(model, Phase::kTest);
  std::int64_t end = 0;
  for (const auto& saved : model.checkpoints()) {
    times.checkpoint_s += saved.checkpoint.seconds;
    end = std::max(end, saved.stamp.mono_ns);
  }
  if (model.first_ns() > 0)
    times.total_s = static_cast<double>(model.last_ns() - model.first_ns()) / kSecond;
  const std::int64_t began = model.training_began_ns();
  if (began == 0) return times;
  times.start_up_s =
      static_cast<double>(std::max<std::int64_t>(0, began - model.first_ns())) / kSecond;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    if (known.newest_step >= 0)
      end = std::max(end, known.end_ns.at(static_cast<std::size_t>(known.newest_step)));
    for (const auto& list : known.epochs) {
      if (!list.empty() && list.back()) end = std::max(end, list.back()->at_ns);
    }
  }
  // Runs from files without times have the same time in all records.
  if (const std::int64_t trained = trained_ns(model, end); trained > 0)
    times.training_s = static_cast<double>(trained) / kSecond;
  return times;
}

Epoch complete_epochs(const model::RunModel& model) {
  std::size_t reported = 0;
  for (const Rank rank : model.ranks())
    reported = std::max(reported, model.rank(rank)->epochs[0].size());
  for (auto epoch = static_cast<Epoch>(reported); epoch > 0; --epoch) {
    if (epoch_complete(model, epoch - 1)) return epoch;
  }
  return 0;
}

std::vector<Stop> left_out(const model::RunModel& model, std::int64_t until_ns) {
  const auto attempts = model.attempts();
  const std::int64_t epoch_steps = model.steps_per_epoch();
  std::vector<Stop> found;
  Step later = std::numeric_limits<Step>::max();
  for (std::size_t i = attempts.size(); i > 1; --i) {
    const Step first = attempts[i - 1].first_step;
    if (first >= later) continue;  // a later attempt repeated all its steps
    later = first;
    std::int64_t begin = first > 0 ? step_end_ns(model, first - 1) : model.training_began_ns();
    if (first > 0 && epoch_steps > 0 && first % epoch_steps == 0) {
      const auto epoch = static_cast<Epoch>(first / epoch_steps - 1);
      begin = std::max(begin, std::min(epoch_end_ns(model, epoch), attempts[i - 1].at_ns));
    }
    const std::int64_t resumed = step_begin_ns(model, first);
    const std::int64_t end = resumed == 0 ? until_ns : std::min(resumed, until_ns);
    if (begin > 0 && end > begin) found.push_back({begin, end});
  }
  return found;
}

std::optional<TrainedTime> time_to_epoch(const model::RunModel& model, Epoch epochs) {
  if (epochs < 1 || model.training_began_ns() == 0 || !began_at_zero(model)) return std::nullopt;
  if (!epoch_complete(model, epochs - 1)) return std::nullopt;
  const std::int64_t until = epoch_end_ns(model, epochs - 1);
  const auto known = static_cast<Step>(model.steps_end());
  const Step planned = model.steps_per_epoch() > 0 ? model.steps_per_epoch() * epochs : known;
  const Step steps = steps_until(model, std::min(planned, known), until);
  return TrainedTime{trained_ns(model, until), until, static_cast<double>(steps)};
}

std::optional<TrainedTime> time_to_samples(const model::RunModel& model, std::int64_t samples) {
  if (samples <= 0 || model.training_began_ns() == 0 || !began_at_zero(model)) return std::nullopt;
  constexpr Step kBlock = 4096;
  const auto wanted = static_cast<double>(samples);
  const Step end = model.newest_common_step() + 1;
  double done = 0;
  // Skips whole blocks up to the one that exceeds the number, then goes step by step.
  Step step = 0;
  for (; step < end; step += kBlock) {
    const double more = samples_between(model, step, std::min(end, step + kBlock));
    if (done + more >= wanted) break;
    done += more;
  }
  for (; step < end; ++step) {
    const double of_step = samples_between(model, step, step + 1);
    if (of_step > 0 && done + of_step >= wanted) {
      // Samples count as trained evenly within the step.
      const double share = (wanted - done) / of_step;
      const std::int64_t until = step_end_ns(model, step);
      const std::int64_t before = step == 0 ? 0 : trained_ns(model, step_end_ns(model, step - 1));
      const auto within = static_cast<double>(trained_ns(model, until) - before);
      return TrainedTime{before + std::llround(share * within), until,
                         static_cast<double>(step) + share};
    }
    done += of_step;
  }
  return std::nullopt;
}

std::optional<double> seconds_to_epoch(const model::RunModel& model, Epoch epochs) {
  const auto time = time_to_epoch(model, epochs);
  return time ? std::optional(static_cast<double>(time->ns) / kSecond) : std::nullopt;
}

std::optional<double> seconds_to_samples(const model::RunModel& model, std::int64_t samples) {
  const auto time = time_to_samples(model, samples);
  return time ? std::optional(static_cast<double>(time->ns) / kSecond) : std::nullopt;
}

bool counts_samples(const model::RunModel& model, Rank rank) {
  const auto& shards = model.shards();
  return shards.tells_part(rank) ? shards.counts(rank) : !model.groups().shares_samples(rank);
}

Rank data_parallel_size(const model::RunModel& model) {
  const auto ranks = model.ranks();
  return static_cast<Rank>(std::ranges::count_if(
      ranks, [&](Rank rank) { return !model.rank(rank)->left && counts_samples(model, rank); }));
}

double samples_between(const model::RunModel& model, Step begin, Step end) {
  double total = 0;
  for (const Rank rank : model.ranks()) {
    if (!counts_samples(model, rank)) continue;
    total += model.rank(rank)
                 ->series(Metric::kSamples)
                 .sum(static_cast<std::size_t>(begin), static_cast<std::size_t>(end))
                 .sum;
  }
  return total;
}

std::int64_t samples_trained(const model::RunModel& model) {
  return static_cast<std::int64_t>(samples_between(model, 0, model.newest_common_step() + 1));
}

}  // namespace ringside::analysis
