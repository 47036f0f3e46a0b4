// Rates and step times over a range of steps.
#include <algorithm>
#include <cmath>

#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;

/// Samples of a rank per second, over steps whose samples are known; 0: none.
double rate_of(const model::RankModel& rank, std::size_t begin, std::size_t end) {
  const auto& samples = rank.series(Metric::kSamples);
  const auto& times = rank.series(Metric::kStepTime);
  const auto trained = samples.sum(begin, end);
  const auto time = times.sum(begin, end);
  double spent = time.sum;
  if (trained.count < time.count) {
    spent = 0;
    for (std::size_t step = begin; step < std::min(end, samples.size()); ++step) {
      if (samples.has(step) && times.has(step)) spent += static_cast<double>(times.at(step));
    }
  }
  return spent > 0 ? trained.sum / spent * 1e9 : 0;
}

}  // namespace

Throughput throughput(const model::RunModel& model, StepRange range) {
  Throughput result;
  result.range = range;
  for (const Rank number : model.ranks()) {
    const model::RankModel& rank = *model.rank(number);
    if (rank.left) continue;
    const double rate = rate_of(rank, model::step_index(range.begin), model::step_index(range.end));
    result.ranks.emplace_back(number, rate);
    if (counts_samples(model, number)) result.total_per_s += rate;
  }
  return result;
}

StepTimeFigures step_times(const model::RunModel& model, Rank rank, StepRange range,
                           Metric metric) {
  StepTimeFigures figures{std::nan(""), std::nan(""), std::nan(""), 0};
  const model::RankModel* found = model.rank(rank);
  if (found == nullptr) return figures;
  std::vector<float> times;
  double sum = 0;
  const std::size_t end = std::min(model::step_index(range.end), found->series(metric).size());
  for (std::size_t step = model::step_index(range.begin); step < end; ++step) {
    const float value = found->series(metric).at(step);
    if (!std::isfinite(value)) continue;
    times.push_back(value);
    sum += static_cast<double>(value);
  }
  if (times.empty()) return figures;
  const auto quantile = [&](double share) {
    // The percentile by nearest rank is the smallest value that at least this share of all does not
    // exceed.
    const auto place =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(times.size()))) - 1;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(place),
                     times.end());
    return static_cast<double>(times[place]);
  };
  figures.p50_ns = quantile(0.5);
  figures.p95_ns = quantile(0.95);
  figures.mean_ns = sum / static_cast<double>(times.size());
  figures.steps = static_cast<Step>(times.size());
  return figures;
}

}  // namespace ringside::analysis
