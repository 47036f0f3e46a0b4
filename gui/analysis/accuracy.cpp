#include "gui/analysis/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/analysis/progress.h"
#include "gui/analysis/range.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_end.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::Phase;

/// Whether all reports of the epoch have been sent: a rank sends them before it starts the next
/// epoch, so all ranks must have started that or ended.
bool all_left_epoch(const model::RunModel& model, Epoch epoch) {
  bool any = false;
  bool all = true;
  for (const Rank number : model.ranks()) {
    const model::RankModel& rank = *model.rank(number);
    const bool beyond = rank.newest_epoch > epoch;
    any = any || beyond;
    all = all && (beyond || rank.left || rank.goodbye || rank.newest_step < 0);
  }
  return model::has_ended(model) || (any && all);
}

/// Whether the other ranks take no part in this phase, rather than that their reports are missing.
/// Our trainer's settings say it; for a custom program it is inferred from the ranks' reports.
bool only_rank_0_takes_part(const model::RunModel& model, Phase phase) {
  const messages::RunSpec& spec = model.spec();
  if (spec.program.argv.empty()) return phase != Phase::kTrain && spec.evaluate.mode == "rank0";
  return std::ranges::all_of(model.ranks(), [&](Rank rank) {
    const model::RankModel& other = *model.rank(rank);
    const bool reports = !other.epochs[static_cast<std::size_t>(phase)].empty();
    return rank == 0 || (!reports && other.counts.lost == 0);
  });
}

/// The world size with which this epoch was run; if several attempts ran it, that of the last one.
Rank ranks_of_pass(const model::RunModel& model, Phase phase, Epoch epoch) {
  std::int64_t newest_ns = std::numeric_limits<std::int64_t>::min();
  Rank ranks = model.world_size();
  for (const Rank rank : model.ranks()) {
    const auto* entry = model.rank(rank)->epoch(phase, epoch);
    if (entry == nullptr || entry->at_ns < newest_ns) continue;
    newest_ns = entry->at_ns;
    ranks = entry->world_size;
  }
  return ranks;
}

/// False if the report covers fewer steps than the epoch has: the rest was trained by an attempt
/// that died before it reported. Attempts of different world sizes have different steps per epoch
/// and are not compared.
bool covers_epoch(const model::RunModel& model, const model::EpochEntry& entry) {
  const auto attempts = model.attempts();
  if (attempts.size() < 2 || !model.spec().program.argv.empty()) return true;
  const bool same_size = std::ranges::all_of(
      attempts, [&](const auto& attempt) { return attempt.world_size == entry.world_size; });
  return !same_size || entry.report.steps <= 0 || entry.report.steps >= model.steps_per_epoch();
}

/// One past the last epoch that any rank reported in this phase.
Epoch epochs_end(const model::RunModel& model, Phase phase) {
  std::size_t end = 0;
  for (const Rank rank : model.ranks()) {
    end = std::max(end, model.rank(rank)->epochs[static_cast<std::size_t>(phase)].size());
  }
  return static_cast<Epoch>(end);
}

/// The phase that accuracy is read from: validation if there is one, or else test.
Phase judged_phase(const model::RunModel& model) {
  return epochs_end(model, Phase::kValidate) > 0 ? Phase::kValidate : Phase::kTest;
}

std::optional<PassResult> complete_pass(const model::RunModel& model, Epoch epoch) {
  const auto pass = pass_of(model, judged_phase(model), epoch);
  const bool judged = pass && pass->complete && pass->counted > 0 && pass->correct >= 0;
  return judged ? pass : std::nullopt;
}

/// The report of that epoch at index `place`, with the oldest first; null if there are fewer.
const messages::EpochReport* report_of(const model::EpochEntry& entry, std::size_t place) {
  if (place < entry.earlier.size()) return &entry.earlier[place];
  return place == entry.earlier.size() ? &entry.report : nullptr;
}

/// Adds up the ranks' reports of an epoch: those at index `place`, or the newest of each rank.
std::optional<PassResult> sum_of(const model::RunModel& model, Phase phase, Epoch epoch,
                                 std::optional<std::size_t> place) {
  PassResult pass;
  pass.epoch = epoch;
  double loss_sum = 0;
  bool only_rank_0 = false;
  const bool train = phase == Phase::kTrain;
  bool whole = true;
  const Rank ranks = ranks_of_pass(model, phase, epoch);
  Rank there = 0;
  for (const Rank rank : model.ranks()) {
    const model::EpochEntry* entry = model.rank(rank)->epoch(phase, epoch);
    if (entry == nullptr || (rank >= ranks && !train)) continue;
    const auto* report = place ? report_of(*entry, *place) : &entry->report;
    if (report == nullptr) continue;
    there += rank < ranks ? 1 : 0;
    whole = whole && covers_epoch(model, *entry);
    if (!train || counts_samples(model, rank)) {
      pass.correct = messages::known_sum(pass.correct, report->correct);
      pass.counted = messages::known_sum(pass.counted, report->counted);
      pass.padded += report->padded;
      loss_sum += report->loss_sum;
    }
    pass.seconds = std::max(pass.seconds, report->seconds);
    pass.last_step = std::max(pass.last_step, report->last_step);
    pass.ended_ns = std::max(pass.ended_ns, entry->at_ns);
    ++pass.ranks;
    only_rank_0 = rank == 0 && pass.ranks == 1;
  }
  if (pass.ranks == 0) return std::nullopt;
  only_rank_0 = only_rank_0 && pass.ranks == 1 && only_rank_0_takes_part(model, phase);
  pass.loss = pass.counted > 0 ? loss_sum / static_cast<double>(pass.counted)
                               : std::numeric_limits<double>::quiet_NaN();
  pass.reported = there == ranks || (only_rank_0 && all_left_epoch(model, epoch));
  pass.complete = pass.reported && (!train || (whole && trained_to_its_end(model, pass)));
  return pass;
}

}  // namespace

double PassResult::accuracy() const {
  return counted > 0 && correct >= 0 ? static_cast<double>(correct) / static_cast<double>(counted)
                                     : std::numeric_limits<double>::quiet_NaN();
}

std::optional<PassResult> pass_of(const model::RunModel& model, Phase phase, Epoch epoch) {
  return sum_of(model, phase, epoch, std::nullopt);
}

std::vector<PassResult> passes(const model::RunModel& model, Phase phase) {
  std::vector<PassResult> found;
  const Epoch end = epochs_end(model, phase);
  for (Epoch epoch = 0; epoch < end; ++epoch) {
    if (const auto pass = pass_of(model, phase, epoch)) found.push_back(*pass);
  }
  return found;
}

std::vector<PassResult> all_passes(const model::RunModel& model, Phase phase) {
  std::vector<PassResult> found;
  const Epoch end = epochs_end(model, phase);
  for (Epoch epoch = 0; epoch < end; ++epoch) {
    for (std::size_t place = 0;; ++place) {
      const auto pass = sum_of(model, phase, epoch, place);
      if (!pass) break;
      found.push_back(*pass);
    }
  }
  return found;
}

std::optional<PassResult> newest_validation(const model::RunModel& model) {
  for (Epoch epoch = epochs_end(model, judged_phase(model)) - 1; epoch >= 0; --epoch) {
    if (const auto pass = complete_pass(model, epoch)) return pass;
  }
  return std::nullopt;
}

std::optional<PassResult> best_validation(const model::RunModel& model) {
  std::optional<PassResult> best;
  const Epoch end = epochs_end(model, judged_phase(model));
  for (Epoch epoch = 0; epoch < end; ++epoch) {
    const auto pass = complete_pass(model, epoch);
    if (pass && (!best || pass->accuracy() > best->accuracy())) best = pass;
  }
  return best;
}

bool trained_to_its_end(const model::RunModel& model, const PassResult& train) {
  const Step end = model.steps_per_epoch() * (train.epoch + 1);
  return end <= 0 || pass_end(model, train.epoch, train.last_step) >= end;
}

Step pass_end(const model::RunModel& model, Epoch epoch, Step last_step) {
  const Step steps = model.steps_per_epoch();
  if (steps <= 0) return last_step + 1;
  const Step begin = steps * epoch;
  // The later of the two is used, since step reports may be lost or late, and not every program
  // reports its last step.
  const Step seen = std::max(last_step + 1, static_cast<Step>(model.steps_end()));
  return seen > begin && seen < begin + steps ? seen : begin + steps;
}

std::optional<SharedValidation> shared_validation(const model::RunModel& run,
                                                  const model::RunModel& baseline) {
  const Epoch end =
      std::min(epochs_end(run, judged_phase(run)), epochs_end(baseline, judged_phase(baseline)));
  for (Epoch epoch = end - 1; epoch >= 0; --epoch) {
    const auto ours = complete_pass(run, epoch);
    const auto theirs = complete_pass(baseline, epoch);
    if (ours && theirs) return SharedValidation{*ours, *theirs};
  }
  return std::nullopt;
}

std::optional<LossSpread> loss_spread(const model::RunModel& model) {
  const Step step = model.newest_common_step();
  if (model.world_size() < 2 || step < 0) return std::nullopt;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (const Rank rank : model.ranks()) {
    const auto loss = static_cast<double>(
        model.rank(rank)->series(model::Metric::kLoss).at(model::step_index(step)));
    if (!std::isfinite(loss)) return std::nullopt;
    lowest = std::min(lowest, loss);
    highest = std::max(highest, loss);
  }
  return LossSpread{highest - lowest, step};
}

}  // namespace ringside::analysis
