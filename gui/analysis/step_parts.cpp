#include "gui/analysis/step_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;
using model::RankModel;

constexpr std::pair<Metric, Part> kMeasured[] = {
    {Metric::kDataWait, Part::kDataWait},   {Metric::kHostToDevice, Part::kHostToDevice},
    {Metric::kForward, Part::kForward},     {Metric::kBackward, Part::kBackward},
    {Metric::kOptimizer, Part::kOptimizer},
};

std::size_t index(Part part) { return static_cast<std::size_t>(part); }

void add(StepParts& parts, Part part, std::int64_t ns) {
  parts.total_ns[index(part)] += ns;
  parts.known[index(part)] = true;
}

/// When the slowest rank was ready in each step of a range; absent where a rank has not said it.
std::vector<std::int64_t> slowest_ready(const model::RunModel& model, StepRange range) {
  const auto count = static_cast<std::size_t>(range.count());
  constexpr std::int64_t kAbsent = model::absent<std::int64_t>();
  const bool all_ranks =
      static_cast<Rank>(model.ranks().size()) >= model.world_size() && model.clocks_known();
  if (!all_ranks) return std::vector(count, kAbsent);
  std::vector<Rank> everybody;
  for (Step step = range.begin; step < range.end; ++step)
    everybody.push_back(model.world_size_at(step));
  std::vector<std::int64_t> slowest(count, kAbsent);
  std::vector<bool> unknown(count);
  // Rank by rank, since the times of one lie side by side. What is absent is below every time.
  for (const Rank rank : model.ranks()) {
    const auto& times = model.rank(rank)->last_ready_ns;
    for (std::size_t i = 0; i < count; ++i) {
      if (rank >= everybody[i]) continue;
      const std::int64_t ready = times.at(static_cast<std::size_t>(range.begin) + i);
      if (model::is_absent(ready)) unknown[i] = true;
      slowest[i] = std::max(slowest[i], ready);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (unknown[i]) slowest[i] = kAbsent;
  }
  return slowest;
}

// The wait is what passes until the slowest is ready; what is left of the exposed communication is
// the transfer. Two nodes' clocks may differ by a little, so the wait never exceeds what was
// exposed.
void split_communication(StepParts& parts, std::int64_t exposed, std::int64_t ready,
                         std::int64_t slowest, bool alone) {
  if (alone) {
    add(parts, Part::kAllReduce, exposed);
  } else if (model::is_absent(ready) || model::is_absent(slowest)) {
    add(parts, Part::kCommunication, exposed);
  } else {
    const std::int64_t wait = std::clamp<std::int64_t>(slowest - ready, 0, exposed);
    add(parts, Part::kWaitSlowest, wait);
    add(parts, Part::kAllReduce, exposed - wait);
  }
}

void add_step(StepParts& parts, const RankModel& rank, std::size_t step, std::int64_t slowest,
              bool alone) {
  const float whole = rank.series(Metric::kStepTime).at(step);
  if (!std::isfinite(whole)) return;
  const auto step_ns = std::llround(whole);
  std::int64_t rest = step_ns;
  const auto take = [&](float measured) {
    // Rounded to float, the parts may exceed the step by a few ns: the last one gives way.
    const std::int64_t ns = std::clamp<std::int64_t>(std::llround(measured), 0, rest);
    rest -= ns;
    return ns;
  };
  for (const auto& [metric, part] : kMeasured) {
    const float measured = rank.series(metric).at(step);
    if (std::isfinite(measured)) add(parts, part, take(measured));
  }
  const float exposed = rank.series(Metric::kExposedComm).at(step);
  if (std::isfinite(exposed))
    split_communication(parts, take(exposed), rank.last_ready_ns.at(step), slowest, alone);
  add(parts, Part::kOther, rest);
  parts.step_ns += step_ns;
  ++parts.steps;
}

StepParts parts_of(const model::RunModel& model, const RankModel& rank, StepRange range,
                   const std::vector<std::int64_t>& slowest) {
  StepParts parts;
  parts.rank = rank.rank;
  const bool alone = model.world_size() == 1;
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    add_step(parts, rank, static_cast<std::size_t>(range.begin) + i, slowest[i], alone);
  }
  return parts;
}

double mean(std::int64_t total, Step steps) {
  return steps == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(total) / static_cast<double>(steps);
}

StepRange within(const model::RunModel& model, StepRange range) {
  const auto end = std::min<Step>(range.end, static_cast<Step>(model.steps_end()));
  const Step begin = std::max<Step>(0, range.begin);
  return {begin, std::max(begin, end)};
}

}  // namespace

std::string_view name_of(Part part) {
  static constexpr std::string_view kNames[] = {"data_wait",     "host_to_device",   "forward",
                                                "backward",      "wait_for_slowest", "all_reduce",
                                                "communication", "optimizer",        "other"};
  return index(part) < kParts ? kNames[index(part)] : "unknown";
}

double StepParts::mean_ns(Part part) const {
  return known[index(part)] ? mean(total_ns[index(part)], steps)
                            : std::numeric_limits<double>::quiet_NaN();
}

double StepParts::mean_step_ns() const { return mean(step_ns, steps); }

double StepParts::mean_own_work_ns() const {
  constexpr Part kOwn[] = {Part::kDataWait, Part::kHostToDevice, Part::kForward, Part::kBackward};
  std::int64_t total = 0;
  for (const Part part : kOwn) total += total_ns[index(part)];
  return mean(total, steps);
}

StepParts step_parts(const model::RunModel& model, Rank rank, StepRange range) {
  const RankModel* found = model.rank(rank);
  const StepRange steps = within(model, range);
  if (found == nullptr) return {};
  return parts_of(model, *found, steps, slowest_ready(model, steps));
}

std::vector<StepParts> step_parts(const model::RunModel& model, StepRange range) {
  const StepRange steps = within(model, range);
  const auto slowest = slowest_ready(model, steps);
  std::vector<StepParts> all;
  for (const Rank rank : model.ranks())
    all.push_back(parts_of(model, *model.rank(rank), steps, slowest));
  return all;
}

const std::vector<StepParts>& recent_step_parts(const model::RunModel& model) {
  return model.once<std::vector<StepParts>>(
      [](const model::RunModel& run) { return step_parts(run, recent_steps(run)); });
}

StepParts mean_of(std::span<const StepParts> ranks) {
  StepParts all;
  all.rank = kNoRank;
  for (const StepParts& rank : ranks) {
    for (std::size_t part = 0; part < kParts; ++part) {
      all.total_ns[part] += rank.total_ns[part];
      all.known[part] = all.known[part] || rank.known[part];
    }
    all.steps += rank.steps;
    all.step_ns += rank.step_ns;
  }
  return all;
}

}  // namespace ringside::analysis
