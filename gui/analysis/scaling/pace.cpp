#include "gui/analysis/scaling/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gui/analysis/program_work.h"
#include "gui/analysis/progress.h"
#include "gui/analysis/scaling/student.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::analysis {
namespace {

using model::Metric;

constexpr Step kLeastPaceSteps = 10;
constexpr double kLeastDifference = 0.02;
constexpr std::size_t kMostStretches = 12;
constexpr std::size_t kLeastStretches = 4;
constexpr double kMostAlike = 0.8;
constexpr double kSameBatch = 0.02;
constexpr double kMostTimes = 100;  ///< above it the run counts as being exactly at the limit

double mean_value(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_about(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

std::vector<double> step_times_of(const model::RankModel& rank, StepRange range) {
  const auto& series = rank.series(Metric::kStepTime);
  std::vector<double> times;
  for (Step step = range.begin; step < range.end; ++step) {
    const float value = series.at(model::step_index(step));
    if (std::isfinite(value)) times.push_back(static_cast<double>(value));
  }
  return times;
}

/// NaN if no rank reports any.
double step_samples(const model::RunModel& model, StepRange range) {
  double samples = 0;
  for (const Rank rank : model.ranks()) {
    if (!counts_samples(model, rank)) continue;
    samples += model.rank(rank)
                   ->series(Metric::kSamples)
                   .sum(model::step_index(range.begin), model::step_index(range.end))
                   .mean();
  }
  return samples;
}

struct Logs {
  double mean = 0;
  double squares = 0;
  double within = 0;  ///< variance of the mean from differences between steps
  double spread = 0;  ///< sum of the squared variances, each divided by its degrees of freedom
};

Logs logs_of(std::span<const Pace> paces) {
  std::vector<double> logs;
  for (const Pace& pace : paces) logs.push_back(std::log(pace.step_ns));
  Logs all;
  all.mean = mean_value(logs);
  all.squares = squares_about(logs, all.mean);
  const auto n = static_cast<double>(paces.size());
  for (const Pace& pace : paces) {
    const double variance = pace.relative_error * pace.relative_error / (n * n);
    all.within += variance;
    all.spread += variance * variance / static_cast<double>(pace.freedom);
  }
  return all;
}

bool gives_work(const std::string& key) {
  if (key == "data.workers" || key == "data.root" || key == "model.init_from") return false;
  return key.starts_with("model.") || key.starts_with("data.") || key.starts_with("batch.") ||
         key == "devices.world_size" || key == "devices.nodes" || key == "devices.parallel";
}

bool is_told_of(const std::string& key) {
  return key != "name" && key != "program.cwd" && key != "data.root" &&
         key != "devices.when_busy" && !key.starts_with("baseline.") && !key.starts_with("limits.");
}

std::string difference_text(const messages::FieldDifference& one) {
  return fmt::format("{} {} against {}", one.key, one.left, one.right);
}

std::string first_device(const model::RunModel& model) {
  for (const Rank rank : model.ranks())
    if (const auto& hello = model.rank(rank)->hello) return hello->device_name;
  return {};
}

}  // namespace

MeanError mean_error(std::span<const double> times) {
  const std::size_t count =
      std::clamp(times.size() / kLeastStretches, kLeastStretches, kMostStretches);
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * times.size() / count;
    const std::size_t end = (i + 1) * times.size() / count;
    means.push_back(mean_value(times.subspan(begin, end - begin)));
  }
  const double mean = mean_value(means);
  const double squares = squares_about(means, mean);
  const auto n = static_cast<double>(count);
  double alike = 0;
  for (std::size_t i = 1; i < count; ++i) alike += (means[i] - mean) * (means[i - 1] - mean);
  alike = squares > 0 ? std::clamp(alike / squares, 0.0, kMostAlike) : 0;
  const double fewer = (1 + alike) / (1 - alike);
  const auto steps = static_cast<double>(times.size());
  const double single = squares_about(times, mean_value(times)) / (steps - 1) / steps;
  const double error = std::sqrt(std::max(squares / (n - 1) / n * fewer, single));
  return {error, static_cast<std::size_t>(std::max(1.0, n / fewer - 1))};
}

std::optional<Pace> pace_of(const model::RunModel& model) {
  const StepRange range = timed_steps(model).range;
  if (model.ranks().empty() || range.count() < kLeastPaceSteps) return std::nullopt;
  const auto times = step_times_of(*model.rank(model.ranks().front()), range);
  if (static_cast<Step>(times.size()) < kLeastPaceSteps) return std::nullopt;
  const double mean = mean_value(times);
  if (!(mean > 0)) return std::nullopt;
  const MeanError error = mean_error(times);
  return Pace{step_samples(model, range) / mean * 1e9, error.error / mean,
              static_cast<Step>(times.size()), mean, error.freedom};
}

bool surely_slower(const Pace& run, const Pace& other) {
  if (!(other.samples_per_s > 0)) return false;
  const double noise = 3 * std::hypot(run.relative_error, other.relative_error);
  return run.samples_per_s / other.samples_per_s < 1 - std::max(noise, kLeastDifference);
}

std::string_view name_of(LimitVerdict verdict) {
  static constexpr std::string_view kNames[] = {"pass", "fail", "too_noisy"};
  return kNames[static_cast<std::size_t>(verdict)];
}

double difference_half(double squares_a, std::size_t count_a, double squares_b,
                       std::size_t count_b) {
  if (count_a + count_b <= 2 || count_a == 0 || count_b == 0) return 0;
  const std::size_t freedom = count_a + count_b - 2;
  const double variance = (squares_a + squares_b) / static_cast<double>(freedom);
  return t_quantile(freedom) * std::sqrt(variance * (1 / static_cast<double>(count_a) +
                                                     1 / static_cast<double>(count_b)));
}

Slowdown slowdown(std::span<const Pace> ours, std::span<const Pace> theirs, double limit) {
  const Logs run = logs_of(ours);
  const Logs base = logs_of(theirs);
  const double within = run.within + base.within;
  const double spread = run.spread + base.spread;
  const double freedom = spread > 0 ? within * within / spread : 1;
  const double of_steps =
      t_quantile(static_cast<std::size_t>(std::max(1.0, freedom))) * std::sqrt(within);
  const double of_repeats = difference_half(run.squares, ours.size(), base.squares, theirs.size());
  const double half = std::max(of_steps, of_repeats);
  Slowdown result;
  result.of_repeats = of_repeats > of_steps;
  const double longer = run.mean - base.mean;
  result.slower = {std::expm1(longer), std::expm1(longer - half), std::expm1(longer + half)};
  if (result.slower.low > limit) {
    result.verdict = LimitVerdict::kFail;
  } else if (result.slower.high <= limit) {
    result.verdict = LimitVerdict::kPass;
  } else {
    const double distance = std::abs(longer - std::log1p(limit));
    const double times = distance > 0 ? half * half / (distance * distance) : kMostTimes;
    if (times < kMostTimes) result.times_as_many = times;
  }
  return result;
}

std::vector<std::string> other_step_work(const model::RunModel& run,
                                         const model::RunModel& baseline) {
  std::vector<std::string> found;
  if (run.spec().program.argv.empty() != baseline.spec().program.argv.empty())
    return {"one is a program of your own, the other our trainer"};
  for (const auto& one : messages::described_differences(run.spec(), baseline.spec()))
    if (gives_work(one.key)) found.push_back(difference_text(one));
  const bool told = std::ranges::any_of(
      found, [](const std::string& text) { return text.starts_with("devices.world_size"); });
  if (!told && run.world_size() != baseline.world_size())
    found.push_back(
        fmt::format("a world size of {} against {}", run.world_size(), baseline.world_size()));
  if (first_device(run) != first_device(baseline))
    found.push_back(
        fmt::format("device \"{}\" against \"{}\"", first_device(run), first_device(baseline)));
  const double ours = step_samples(run, timed_steps(run).range);
  const double theirs = step_samples(baseline, timed_steps(baseline).range);
  if (found.empty() && std::abs(ours - theirs) > kSameBatch * theirs)
    found.push_back(fmt::format("{:.0f} samples in a step against {:.0f}", ours, theirs));
  return found;
}

std::vector<std::string> other_settings_of(const model::RunModel& run,
                                           const model::RunModel& baseline) {
  std::vector<std::string> found;
  for (const auto& one : messages::described_differences(run.spec(), baseline.spec()))
    if (!gives_work(one.key) && is_told_of(one.key)) found.push_back(difference_text(one));
  if (std::string files = other_program_files(run, baseline); !files.empty())
    found.push_back(std::move(files));
  return found;
}

}  // namespace ringside::analysis
