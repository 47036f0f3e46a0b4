#include "gui/analysis/work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "protocol/messages/spec/data_facts.h"

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/states.h"

namespace ringside::analysis {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The double nearest to the float's shortest decimal text: 0.01 and not 0.00999999978.
double nearest_decimal(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = kNan;
  std::from_chars(text.data(), end, result);
  return result;
}

double lr_at(const model::RunModel& model, Step step) {
  if (model.ranks().empty() || step < 0) return kNan;
  const auto& series = model.rank(model.ranks().front())->series(model::Metric::kLr);
  const auto index = static_cast<std::size_t>(step);
  return series.has(index) ? nearest_decimal(series.at(index)) : kNan;
}

}  // namespace

std::int64_t train_samples(const model::RunModel& model) {
  if (const std::int64_t told = model.shards().dataset_size(); told > 0) return told;
  const auto& spec = model.spec();
  if (!spec.program.argv.empty()) return 0;
  const auto facts = messages::data_facts(spec.data);
  return facts ? facts->train_samples : 0;
}

std::int64_t test_samples(const messages::RunSpec& spec) {
  const auto facts = messages::data_facts(spec.data);
  if (!spec.program.argv.empty() || !facts || facts->channels == 0) return 0;
  return facts->test_samples;
}

std::optional<messages::BatchFacts> work_of(const model::RunModel& model) {
  const std::int64_t samples = train_samples(model);
  if (samples <= 0 || !model.spec().program.argv.empty()) return std::nullopt;
  const auto facts = messages::batch_facts(model.spec(), samples);
  return facts ? std::optional(*facts) : std::nullopt;
}

Rank devices_of(const model::RunModel& model) {
  const auto& spec = model.spec();
  const bool one_for_all = spec.program.argv.empty() && spec.devices.parallel == "dp";
  return one_for_all ? static_cast<Rank>(spec.devices.world_size) : model.world_size();
}

UsedLr lr_used(const model::RunModel& model, Epoch epoch) {
  // The counted steps of the epoch, or else the number that follows from its length.
  const auto* entry =
      model.ranks().empty()
          ? nullptr
          : model.rank(model.ranks().front())->epoch(messages::Phase::kTrain, epoch);
  if (entry != nullptr && entry->report.steps > 0 &&
      entry->report.last_step + 1 >= entry->report.steps) {
    const Step last = entry->report.last_step;
    return {lr_at(model, last + 1 - entry->report.steps), lr_at(model, last)};
  }
  const std::int64_t steps = model.steps_per_epoch();
  if (steps <= 0 || epoch < 0) return {kNan, kNan};
  const Step begin = Step{epoch} * steps;
  const Step newest = model.newest_common_step();
  if (newest < begin) return {kNan, kNan};
  return {lr_at(model, begin), lr_at(model, std::min(begin + steps - 1, newest))};
}

std::vector<EpochLosses> losses_by_epoch(const model::RunModel& model) {
  std::size_t epochs = 0;
  for (const Rank rank : model.ranks())
    epochs = std::max(epochs, model.rank(rank)->epochs[0].size());
  std::vector<EpochLosses> found;
  for (Epoch epoch = 0; epoch < static_cast<Epoch>(epochs); ++epoch) {
    EpochLosses row{epoch, {}, kNan};
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const Rank rank : model.ranks()) {
      const auto* entry = model.rank(rank)->epoch(messages::Phase::kTrain, epoch);
      if (entry == nullptr) continue;
      const auto& report = entry->report;
      const double loss =
          report.counted > 0 ? report.loss_sum / static_cast<double>(report.counted) : kNan;
      row.ranks.push_back({rank, loss});
      lowest = std::min(lowest, loss);
      highest = std::max(highest, loss);
    }
    if (row.ranks.empty()) continue;
    if (row.ranks.size() > 1 && std::isfinite(highest - lowest)) row.gap = highest - lowest;
    found.push_back(std::move(row));
  }
  return found;
}

}  // namespace ringside::analysis
