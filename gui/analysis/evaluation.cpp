#include "gui/analysis/evaluation.h"

#include <algorithm>
#include <limits>

#include "gui/analysis/accuracy.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::Phase;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                   : std::numeric_limits<double>::quiet_NaN();
}

/// Padding samples in a pass: none, as many as its reports have, or an unknown number.
enum class Repeats : std::uint8_t { kNone, kReported, kUnknown };

Repeats repeats_of(const model::RunModel& model, const PassResult& pass) {
  if (model.spec().program.argv.empty())
    return model.spec().evaluate.mode == "padded" ? Repeats::kReported : Repeats::kNone;
  if (pass.padded > 0) return Repeats::kReported;
  return pass.ranks > 1 ? Repeats::kUnknown : Repeats::kNone;
}

EvaluationShare share_of(Rank rank, const messages::EpochReport& report, Repeats repeats) {
  EvaluationShare share{rank, report.correct, report.counted,     0,
                        0,    report.seconds, report.idle_seconds};
  share.repeats_known = repeats != Repeats::kUnknown;
  if (repeats == Repeats::kReported) {
    share.padded = std::clamp<std::int64_t>(report.padded, 0, report.counted);
    share.padded_correct = std::clamp<std::int64_t>(report.padded_correct, 0, report.correct);
  }
  return share;
}

}  // namespace

double EvaluationShare::reported() const { return ratio(correct, counted); }
double EvaluationShare::exact() const {
  return repeats_known ? ratio(correct - padded_correct, counted - padded)
                       : std::numeric_limits<double>::quiet_NaN();
}

std::optional<Evaluation> newest_evaluation(const model::RunModel& model) {
  const auto newest = newest_validation(model);
  if (!newest) return std::nullopt;
  Evaluation result;
  result.epoch = newest->epoch;
  result.complete = newest->complete;
  result.total.rank = kNoRank;
  const Repeats repeats = repeats_of(model, *newest);
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    const auto* entry = known.epoch(Phase::kValidate, newest->epoch);
    if (entry == nullptr) entry = known.epoch(Phase::kTest, newest->epoch);
    if (entry == nullptr) continue;
    const auto share = share_of(rank, entry->report, repeats);
    result.total.correct += share.correct;
    result.total.counted += share.counted;
    result.total.padded += share.padded;
    result.total.padded_correct += share.padded_correct;
    result.total.repeats_known = result.total.repeats_known && share.repeats_known;
    result.total.seconds = std::max(result.total.seconds, share.seconds);
    result.total.idle_seconds += share.idle_seconds;
    result.ranks.push_back(share);
  }
  return result;
}

std::vector<IdleTime> idle_times(const model::RunModel& model) {
  std::vector<IdleTime> times;
  for (const Rank rank : model.ranks()) {
    IdleTime time{rank, 0, 0};
    const auto& known = *model.rank(rank);
    const auto& evaluated = known.epochs[static_cast<std::size_t>(Phase::kValidate)];
    for (std::size_t epoch = 0; epoch < evaluated.size(); ++epoch) {
      if (!evaluated[epoch]) continue;
      const auto& report = evaluated[epoch]->report;
      const auto* train = known.epoch(Phase::kTrain, static_cast<Epoch>(epoch));
      time.idle_seconds += std::max(0.0, report.idle_seconds);
      time.epoch_seconds += report.seconds + (train == nullptr ? 0 : train->report.seconds);
    }
    times.push_back(time);
  }
  return times;
}

}  // namespace ringside::analysis
