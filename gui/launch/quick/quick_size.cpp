#include "gui/launch/quick/quick_size.h"

#include <algorithm>
#include <numeric>

#include "protocol/messages/model_catalog.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/data_facts.h"
#include "protocol/messages/spec/model_facts.h"

namespace ringside::launch {
namespace {

using messages::BatchFacts;
using messages::RunSpec;

/// Minimum number of steps: the first one is set-up, and more than one is to be measured.
constexpr std::int64_t kLeastSteps = 3;
constexpr std::int64_t kLeastBatch = 2;
/// Factor by which a run must be slower than the first one to be left out: a slow machine slows
/// down all runs, a missing instruction set only some, and by far more.
constexpr double kByFar = 3;
/// Processor time in ns for each byte of gradients that a rank exchanges over loopback.
constexpr double kExchangeNs = 4;

double exchange_s(const RunSpec& spec) {
  if (messages::process_count(spec) < 2) return 0;
  const auto images = messages::image_shape(spec.data);
  if (!images) return 0;
  const std::int64_t parameters = messages::parameter_count(spec.model, *images);
  return static_cast<double>(messages::gradient_bytes(parameters)) * kExchangeNs * 1e-9;
}

double evaluations(const RunSpec& spec) {
  if (spec.evaluate.mode == "none") return 0;
  if (spec.evaluate.every_epochs <= 0) return 1;
  return static_cast<double>(std::max<std::int64_t>(
      spec.train.epochs == 0 ? 1 : 0, spec.train.epochs / spec.evaluate.every_epochs));
}

RunSpec sized(RunSpec spec, std::int64_t train_samples) {
  spec.data.train_samples = train_samples;
  return spec;
}

Result<BatchFacts> facts_at(const RunSpec& spec, std::int64_t train_samples) {
  return messages::batch_facts(sized(spec, train_samples), train_samples);
}

/// Whether a run with this many samples can be measured. A run whose full size is below a minimum
/// only has to reach its full size.
bool measurable(const RunSpec& spec, std::int64_t train_samples) {
  const auto full = facts_at(spec, spec.data.train_samples);
  const auto facts = facts_at(spec, train_samples);
  // A recipe that crashes on purpose must reach that step.
  const std::int64_t crash = spec.limits.crash_step;
  if (facts && crash > 0 && facts->steps_per_epoch * spec.train.epochs <= crash) return false;
  return full && facts && facts->steps_per_epoch >= std::min(kLeastSteps, full->steps_per_epoch) &&
         facts->last_batch >= std::min(kLeastBatch, full->last_batch);
}

bool measurable(std::span<const QuickRun> runs, std::int64_t train_samples) {
  return std::ranges::all_of(runs,
                             [&](const auto& run) { return measurable(run.spec, train_samples); });
}

/// A few sizes from that of the file down to the minimum: so few that the same form on the same
/// machine always gets the same size, and its runs remain comparable.
std::vector<std::int64_t> sizes_of(std::span<const QuickRun> runs, bool may_resize) {
  const std::int64_t full = runs.front().spec.data.train_samples;
  std::vector<std::int64_t> sizes{full};
  if (!may_resize) return sizes;
  const bool equal = std::ranges::all_of(
      runs, [&](const auto& run) { return run.spec.data.train_samples == full; });
  if (!equal) return sizes;
  std::int64_t least = 1;
  while (least < full && !measurable(runs, least)) ++least;
  for (const std::int64_t eighths : {6, 4, 2, 1}) {
    std::int64_t size = full * eighths / 8;
    while (size > least && !measurable(runs, size)) --size;
    size = std::max(size, least);
    if (size < sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<double> seconds_at(std::span<const QuickRun> runs, int cores, std::int64_t size) {
  // Runs of full size keep their own numbers of samples.
  const bool resized = size != runs.front().spec.data.train_samples;
  std::vector<double> seconds;
  for (const QuickRun& run : runs) {
    const RunSpec spec = resized ? sized(run.spec, size) : run.spec;
    seconds.push_back(expected_seconds(spec, run.cost, cores));
  }
  return seconds;
}

}  // namespace

double expected_seconds(const RunSpec& settled, const StepCost& cost, int cores) {
  const auto facts = facts_at(settled, settled.data.train_samples);
  if (!facts) return 0;
  const auto ranks = static_cast<double>(messages::process_count(settled));
  const auto threads = static_cast<double>(std::max<std::int64_t>(1, settled.devices.threads));
  const double crowd = std::max(1.0, ranks * threads / std::max(1, cores));
  const double starts = settled.limits.crash_step > 0 && settled.limits.restarts > 0 ? 2 : 1;
  const double epoch_s =
      static_cast<double>(facts->steps_per_epoch) * (cost.step_s + exchange_s(settled)) +
      static_cast<double>(facts->samples_per_rank) * cost.sample_s;
  // A rank that evaluates alone has a core to itself; otherwise all ranks share the samples.
  const double share = settled.evaluate.mode == "rank0" ? 1 : crowd / ranks;
  const double evaluate_s = evaluations(settled) * share * cost.evaluated_s *
                            static_cast<double>(settled.data.test_samples);
  return crowd * (starts * cost.start_s + static_cast<double>(settled.train.epochs) * epoch_s) +
         evaluate_s;
}

double QuickSize::total_s() const {
  double sum_s = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (const std::size_t out : left_out) sum_s -= seconds[out];
  return sum_s;
}

QuickSize quick_size(std::span<const QuickRun> runs, int cores, const QuickTime& time,
                     bool may_resize) {
  if (runs.empty()) return {};
  QuickSize found;
  // Left-out runs get sizes, too, since they may be added to a study later.
  const std::vector<std::int64_t> sizes = sizes_of(runs, may_resize);
  const auto least_seconds = seconds_at(runs, cores, sizes.back());
  const double too_long_s = std::max(time.run_s, kByFar * least_seconds.front());
  std::vector<QuickRun> kept;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].may_go && least_seconds[i] > too_long_s) {
      found.left_out.push_back(i);
    } else {
      kept.push_back(runs[i]);
    }
  }
  // A baseline alone is useless.
  if (kept.size() < std::min<std::size_t>(2, runs.size())) {
    found.left_out.clear();
    kept.assign(runs.begin(), runs.end());
  }
  for (const std::int64_t size : sizes) {
    found.train_samples = size;
    const auto seconds = seconds_at(kept, cores, size);
    const bool each = std::ranges::all_of(seconds, [&](double s) { return s <= time.run_s; });
    if (each && std::accumulate(seconds.begin(), seconds.end(), 0.0) <= time.all_s) break;
  }
  found.seconds = seconds_at(runs, cores, found.train_samples);
  found.at_least = std::ranges::any_of(kept, [](const auto& run) { return run.cost.at_least; });
  return found;
}

}  // namespace ringside::launch
