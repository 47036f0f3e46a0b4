#include "gui/analysis/alerts/alert_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/analysis/alerts/memory.h"
#include "gui/analysis/final_loss.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "protocol/messages/memory_names.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::analysis {
namespace {

using model::Metric;
using model::RankModel;
using model::Series;

constexpr Step kWindow = 50;
constexpr double kSlowStepDeviations = 6;
constexpr double kSlowedS = 5;
constexpr std::int64_t kLeastDiskBytes = std::int64_t{1} << 30;

/// Median and scatter of the finite values in a range.
struct Middle {
  double median = 0;
  double lower = 0;  ///< lower quartile
  /// Scatter of the values: 1.4826 times the median distance from the median, which for normal
  /// noise is one standard deviation.
  double scatter = 0;
  std::size_t count = 0;
};

double middle_of(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(static_cast<double>(values.size() - 1) * share);
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

Middle middle(const Series& series, Step begin, Step end) {
  std::vector<double> values;
  for (std::size_t step = model::step_index(begin); step < model::step_index(end); ++step) {
    const auto value = static_cast<double>(series.at(step));
    if (std::isfinite(value)) values.push_back(value);
  }
  Middle result;
  result.count = values.size();
  if (values.empty()) return result;
  result.median = middle_of(values, 0.5);
  result.lower = middle_of(values, 0.25);
  for (double& value : values) value = std::abs(value - result.median);
  result.scatter = 1.4826 * middle_of(values, 0.5);
  return result;
}

/// First step from `begin` on whose value is NaN or Inf, found by bisection with the pyramid.
Step first_broken(const Series& series, std::size_t begin, std::size_t end) {
  if (series.extremes(begin, end).flags == 0) return -1;
  while (end - begin > 1) {
    const std::size_t half = begin + (end - begin) / 2;
    if (series.extremes(begin, half).flags != 0) {
      end = half;
    } else {
      begin = half;
    }
  }
  return static_cast<Step>(begin);
}

/// First step from `begin` on that has a value; -1: none.
Step first_stored(const Series& series, std::size_t begin) {
  std::size_t end = series.size();
  if (begin >= end || series.sum(begin, end).count == 0) return -1;
  while (end - begin > 1) {
    const std::size_t half = begin + (end - begin) / 2;
    (series.sum(begin, half).count > 0 ? end : begin) = half;
  }
  return static_cast<Step>(begin);
}

/// First step whose gradient was NaN or Inf on this rank and was used all the same; -1: none.
Step first_broken_gradient(const RankModel& rank) {
  const Series& buckets = rank.series(Metric::kNonFiniteBuckets);
  Step step = first_stored(buckets, 0);
  while (step >= 0 && rank.series(Metric::kSkipped).has(model::step_index(step)))
    step = first_stored(buckets, model::step_index(step) + 1);
  return step;
}

/// First step of the current attempt.
Step attempt_begin(const RankModel& rank) {
  const Step promised = rank.hello ? rank.hello->first_step : 0;
  return rank.restarts > 0 ? promised : std::max(promised, std::max<Step>(0, rank.first_step));
}

NoOrigin why_no_origin(const model::RunModel& model, const BrokenLoss& broken) {
  if (model.world_size() < 2) return NoOrigin::kOnlyRank;
  Rank told = 0;
  bool gradient = false;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    told += rank.series(Metric::kLoss).has(model::step_index(broken.step)) ? 1 : 0;
    const Series& norm = rank.series(Metric::kGradNorm);
    gradient = gradient || (broken.step > 0 && norm.has(model::step_index(broken.step - 1)) &&
                            !std::isfinite(norm.at(model::step_index(broken.step - 1))));
  }
  if (told < model.world_size()) return NoOrigin::kNotHeard;
  if (static_cast<Rank>(broken.ranks.size()) < model.world_size()) return NoOrigin::kNone;
  return gradient ? NoOrigin::kGradient : NoOrigin::kAllAtOnce;
}

/// Detects a loss far worse than at the start: broken from the first steps on, without a low
/// before.
std::optional<Change> worse_than_untrained(const Series& loss, const Middle& now) {
  const auto untrained = static_cast<double>(loss.at(0));
  // The first loss is a single value and may be low by chance; below 3 deviations it is ignored.
  const bool worse = untrained > 0 && now.median > 2 * untrained && now.lower > 1.5 * untrained &&
                     now.median - untrained > 3 * now.scatter;
  return worse ? std::optional(Change{untrained, now.median, 0}) : std::nullopt;
}

/// Bytes by which a rank's peak may still grow; nothing if the device does not report its memory,
/// or if the rank shares the device.
std::optional<double> room_of(const model::RunModel& model, const RankModel& rank) {
  const model::DeviceModel* device = read_device_of(model, rank);
  const auto shares = [&](Rank number) {
    const RankModel& other = *model.rank(number);
    return !other.left && other.node == rank.node && other.hello &&
           other.hello->device_uuid == rank.hello->device_uuid;
  };
  if (device == nullptr || std::ranges::count_if(model.ranks(), shares) != 1) return std::nullopt;
  const RankMemory memory = memory_of(model, rank);
  const double room =
      memory.reserved - memory.peak +
      static_cast<double>(device->latest.memory_total_bytes - device->latest.memory_used_bytes);
  return std::isnan(room) ? std::nullopt : std::optional(std::max(0.0, room));
}

std::optional<MemoryCreep> creep_of(const RankModel& rank, const model::ScalarSeries& looks,
                                    std::optional<double> room) {
  constexpr std::size_t kQuarter = 16;
  const double least_share = room ? 0.001 : 0.05;
  const std::size_t first = looks.place_of_step(attempt_begin(rank));
  if (looks.size() < first + 4 * kQuarter) return std::nullopt;
  const std::size_t begin = looks.size() - 4 * kQuarter;
  const std::size_t last = begin + 3 * kQuarter;
  const auto lowest = [&](std::size_t from) {
    return static_cast<double>(looks.values().extremes(from, from + kQuarter).lowest);
  };
  const double before = lowest(begin);
  const double now = lowest(last);
  const auto highest = static_cast<double>(looks.values().extremes(first, last - kQuarter).highest);
  const bool rises = lowest(begin + kQuarter) > before && now > highest;
  if (!rises || now - before < std::max(1.0, least_share * before)) return std::nullopt;
  const auto steps = static_cast<double>(looks.step_at(last) - looks.step_at(begin));
  MemoryCreep creep{rank.rank, (now - before) * kMib / steps, looks.latest() * kMib};
  creep.seconds_per_step =
      static_cast<double>(looks.ns_at(last) - looks.ns_at(begin)) / 1e9 / steps;
  if (room) creep.steps = std::max(1.0, *room / creep.bytes_per_step);
  return creep;
}

/// False if the remaining memory is known to last.
bool matters(const model::RunModel& model, const RankModel& rank, const MemoryCreep& creep) {
  constexpr double kDayS = 86'400;
  const auto planned = static_cast<double>(model.steps_planned());
  if (!creep.steps) return true;
  return planned > 0 ? *creep.steps < planned - static_cast<double>(rank.newest_step + 1)
                     : *creep.steps * creep.seconds_per_step < kDayS;
}

}  // namespace

NonFinite non_finite_losses(const model::RunModel& model, Rank rank) {
  const RankModel* found = model.rank(rank);
  NonFinite result;
  if (found == nullptr) return result;
  const Series& loss = found->series(Metric::kLoss);
  result.first = first_broken(loss, 0, loss.size());
  if (result.first < 0) return result;
  for (std::size_t step = model::step_index(result.first); step < loss.size(); ++step)
    result.count += loss.has(step) && !std::isfinite(loss.at(step)) ? 1U : 0U;
  return result;
}

std::optional<BrokenLoss> broken_loss(const model::RunModel& model) {
  BrokenLoss broken;
  for (const Rank rank : model.ranks()) {
    const NonFinite bad = non_finite_losses(model, rank);
    if (bad.count == 0) continue;
    broken.steps = std::max(broken.steps, bad.count);
    if (broken.step < 0 || bad.first < broken.step) {
      broken.step = bad.first;
      broken.ranks.clear();
    }
    if (bad.first == broken.step) broken.ranks.push_back(rank);
  }
  if (broken.step < 0) return std::nullopt;
  broken.no_origin = why_no_origin(model, broken);
  return broken;
}

bool ended_in_nan(const model::RunModel& model) {
  return !std::isfinite(final_loss(model).loss) && broken_loss(model).has_value();
}

bool nan_is_failure(const messages::RunSpec& spec) { return spec.train.stop_on != "never"; }

std::optional<BrokenGradient> broken_gradient(const model::RunModel& model) {
  BrokenGradient broken;
  for (const Rank number : model.ranks()) {
    const Step first = first_broken_gradient(*model.rank(number));
    if (first < 0 || (broken.step >= 0 && first > broken.step)) continue;
    if (first != broken.step) broken.ranks.clear();
    broken.step = first;
    broken.ranks.push_back(number);
  }
  if (broken.step < 0) return std::nullopt;
  // The loss of a step comes before its gradient.
  const auto loss = broken_loss(model);
  if (loss && loss->step <= broken.step) return std::nullopt;
  const auto heard = std::count_if(model.ranks().begin(), model.ranks().end(), [&](Rank number) {
    return !model::is_absent(model.rank(number)->end_ns.at(model::step_index(broken.step)));
  });
  broken.all_heard = heard >= model.world_size();
  return broken;
}

// Compares the newest window, the first, and the lowest of up to 64 that are spread over the run,
// so that the cost does not grow with the run.
std::optional<Change> diverged(const model::RunModel& model) {
  constexpr Step kLooks = 64;
  const Step end = model.newest_common_step() + 1;
  if (end < 4 * kWindow) return std::nullopt;
  const Series& loss = model.mean_loss();
  const Middle now = middle(loss, end - kWindow, end);
  const Middle first = middle(loss, 0, kWindow);
  const auto enough = static_cast<std::size_t>(kWindow) / 2;
  if (now.count < enough || first.count < enough) return std::nullopt;
  Middle lowest = first;
  Step lowest_step = 0;
  const Step room = end - 2 * kWindow;
  for (Step look = 1; look <= kLooks; ++look) {
    const Step begin = room * look / kLooks;
    const Middle here = middle(loss, begin, begin + kWindow);
    if (here.count < enough || here.median >= lowest.median) continue;
    lowest = here;
    lowest_step = begin;
  }
  const double rise = now.median - lowest.median;
  const double gained = std::max(0.0, first.median - lowest.median);
  const double scatter = std::max(now.scatter, lowest.scatter);
  if (rise <= kSlowStepDeviations * scatter || rise <= 0.75 * gained ||
      rise <= 0.5 * std::abs(lowest.median))
    return worse_than_untrained(loss, now);
  return Change{lowest.median, now.median, lowest_step};
}

// Once a model has memorised most batches, a single hard one is far from the median every few
// steps: so the highest of many steps is the limit, and not only their scatter.
std::optional<Change> loss_spike(const model::RunModel& model) {
  constexpr Step kBefore = 200;
  constexpr double kLeap = 3;
  const Series& loss = model.mean_loss();
  const Step end = model.newest_common_step() + 1;
  Step highest = -1;
  for (Step step = std::max(kBefore, end - kWindow); step < end; ++step) {
    if (!std::isfinite(loss.at(model::step_index(step)))) continue;
    if (highest < 0 || loss.at(model::step_index(step)) > loss.at(model::step_index(highest)))
      highest = step;
  }
  if (highest < 0) return std::nullopt;
  const Middle before = middle(loss, highest - kBefore, highest);
  if (before.count < static_cast<std::size_t>(kBefore) / 2) return std::nullopt;
  const auto most = static_cast<double>(
      loss.extremes(model::step_index(highest - kBefore), model::step_index(highest)).highest);
  const auto now = static_cast<double>(loss.at(model::step_index(highest)));
  const bool leaped = most > 0 && now > kLeap * most &&
                      now - before.median > 2 * kSlowStepDeviations * before.scatter;
  return leaped ? std::optional(Change{before.median, now, highest}) : std::nullopt;
}

std::optional<Change> slow_steps(const model::RunModel& model) {
  constexpr Step kFewest = 20;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    // A rank that has left or is behind only has times of an attempt that is over.
    if (rank.left || rank.behind) continue;
    const Series& times = rank.series(Metric::kStepTime);
    const Step begin = attempt_begin(rank) + kWarmUpSteps;
    const Step end = rank.newest_step + 1;
    const Step recent = std::min(kWindow, (end - begin) / 2);
    if (recent < kFewest) continue;
    const Middle before = middle(times, begin, std::min(begin + kRecentSteps, end - recent));
    const Middle now = middle(times, end - recent, end);
    if (before.median <= 0 || before.count < kFewest || now.count < kFewest) continue;
    const bool slow = now.median > 2 * before.median && now.lower > 1.5 * before.median &&
                      now.median - before.median > kSlowStepDeviations * before.scatter;
    return slow ? std::optional(Change{before.median, now.median, begin}) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<SlowedDevice> slowed_devices(const model::RunModel& model) {
  std::vector<SlowedDevice> found;
  for (std::size_t i = 0; i < model.devices().size(); ++i) {
    const auto& device = model.devices()[i];
    const double seconds = static_cast<double>(device.at_ns - device.slowed_since_ns) / 1e9;
    if (device.slowed_since_ns == 0 || seconds < kSlowedS) continue;
    SlowedDevice slowed{i, kNoRank, seconds};
    for (const Rank number : model.ranks()) {
      const RankModel& rank = *model.rank(number);
      if (!rank.left && rank.node == device.node && rank.hello &&
          rank.hello->device_uuid == device.latest.device_uuid) {
        slowed.rank = number;
        break;
      }
    }
    found.push_back(slowed);
  }
  return found;
}

std::vector<LowDisk> low_disks(const model::RunModel& model) {
  std::int64_t wanted = kLeastDiskBytes;
  for (const auto& saved : model.checkpoints()) {
    constexpr std::int64_t kLargest = std::int64_t{1} << 50;
    wanted = std::max(wanted, 2 * std::min(saved.checkpoint.size_bytes, kLargest));
  }
  std::vector<LowDisk> found;
  for (const auto& [node, host] : model.hosts()) {
    const std::int64_t free = host.latest.disk_free_bytes;
    if (host.at_ns != 0 && free >= 0 && free < wanted) found.push_back({node, free, wanted});
  }
  return found;
}

std::optional<MemoryCreep> memory_creep(const model::RunModel& model) {
  std::optional<MemoryCreep> worst;
  const model::ScalarName* looks = model.scalars().find(messages::kMemoryAllocated);
  if (looks == nullptr) return worst;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    const model::ScalarSeries* series = looks->of(number);
    if (rank.left || rank.behind || series == nullptr) continue;
    const auto creep = creep_of(rank, *series, room_of(model, rank));
    if (!creep || !matters(model, rank, *creep)) continue;
    const auto urgency = [](const MemoryCreep& one) {
      constexpr double kLate = std::numeric_limits<double>::infinity();
      return std::pair(one.steps.value_or(kLate), -one.bytes_per_step);
    };
    if (!worst || urgency(*creep) < urgency(*worst)) worst = creep;
  }
  return worst;
}

}  // namespace ringside::analysis
