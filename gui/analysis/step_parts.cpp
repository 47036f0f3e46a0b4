#include "gui/analysis/step_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/analysis/waits.h"
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

constexpr std::int64_t kNotKnown = -1;

// The transfer is the exposed communication without the wait. Two nodes' clocks may differ a
// little, so the wait never exceeds the exposed time.
void split_communication(StepParts& parts, std::int64_t exposed, std::int64_t waited, bool alone) {
  if (alone) {
    add(parts, Part::kAllReduce, exposed);
  } else if (waited == kNotKnown) {
    add(parts, Part::kCommunication, exposed);
  } else {
    const std::int64_t wait = std::min(waited, exposed);
    add(parts, Part::kWaitSlowest, wait);
    add(parts, Part::kAllReduce, exposed - wait);
  }
}

void add_step(StepParts& parts, const RankModel& rank, std::size_t step, std::int64_t waited,
              bool alone) {
  const float whole = rank.series(Metric::kStepTime).at(step);
  if (!std::isfinite(whole)) return;
  const auto step_ns = std::llround(whole);
  std::int64_t rest = step_ns;
  const auto take = [&](float measured) {
    // Rounded to float, the parts may exceed the step by a few ns: the last one is shortened.
    const std::int64_t ns = std::clamp<std::int64_t>(std::llround(measured), 0, rest);
    rest -= ns;
    return ns;
  };
  for (const auto& [metric, part] : kMeasured) {
    const float measured = rank.series(metric).at(step);
    if (std::isfinite(measured)) add(parts, part, take(measured));
  }
  const float exposed = rank.series(Metric::kExposedComm).at(step);
  if (std::isfinite(exposed)) split_communication(parts, take(exposed), waited, alone);
  add(parts, Part::kOther, rest);
  parts.step_ns += step_ns;
  ++parts.steps;
}

void add_steps(StepParts& parts, const RankModel& rank, std::size_t place, const Waits& waits,
               StepRange read, bool alone) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(read.count()); ++k) {
    const auto step = static_cast<std::size_t>(read.begin) + k;
    add_step(parts, rank, step, waits.has(place, k) ? waits.of(place, k).ns : kNotKnown, alone);
  }
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
  for (const StepParts& parts : step_parts(model, range)) {
    if (parts.rank == rank) return parts;
  }
  return {};
}

std::vector<StepParts> step_parts(const model::RunModel& model, StepRange range) {
  const bool alone = model.world_size() == 1;
  std::vector<StepParts> all(model.ranks().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].rank = model.ranks()[i];
  Waits waits(model, joined_ranks(model), true);
  for (StepRange rest = within(model, range); rest.count() > 0;) {
    const StepRange read = waits.read(rest);
    for (std::size_t i = 0; i < all.size(); ++i)
      add_steps(all[i], *model.rank(all[i].rank), i, waits, read, alone);
    rest.begin = read.end;
  }
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
