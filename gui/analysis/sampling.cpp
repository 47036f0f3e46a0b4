#include "gui/analysis/sampling.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "gui/analysis/progress.h"
#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

/// Number of samples below which it may be chance that none changes its rank.
constexpr std::int64_t kFewSamples = 32;
/// Limit of repeats that are searched for the most frequent one, starting with the newest passes.
constexpr std::size_t kCountedRepeats = 65536;

RepeatedDraws repeated_draws(const model::ShardStore& shards) {
  RepeatedDraws draws;
  const auto passes = shards.passes();
  if (!passes.empty()) draws.fewest = passes.front().padded;
  for (const auto& pass : passes) {
    draws.fewest = std::min(draws.fewest, pass.padded);
    draws.most = std::max(draws.most, pass.padded);
    draws.shared = std::max(draws.shared, pass.shared);
  }
  std::unordered_map<std::uint32_t, std::int64_t> passes_of;
  for (std::size_t i = passes.size(); i-- > 0 && passes_of.size() < kCountedRepeats;) {
    const auto* detail = shards.detail(i);
    if (detail == nullptr) break;
    ++draws.known;
    std::int64_t before = -1;
    for (const auto& repeat : detail->repeats) {
      if (!repeat.padding || repeat.sample == before) continue;
      before = repeat.sample;
      const std::int64_t count = ++passes_of[repeat.sample];
      if (count < draws.passes || (count == draws.passes && before > draws.sample)) continue;
      draws.passes = count;
      draws.sample = before;
    }
  }
  return draws;
}

/// The newest training pass of a rank; null: none.
const messages::EpochReport* newest_train(const model::RankModel& rank) {
  const auto& train = rank.epochs[static_cast<std::size_t>(messages::Phase::kTrain)];
  for (auto entry = train.rbegin(); entry != train.rend(); ++entry) {
    if (*entry) return &(*entry)->report;
  }
  return nullptr;
}

std::int64_t samples_at(const model::RankModel& rank, Step step) {
  const auto& samples = rank.series(model::Metric::kSamples);
  const auto index = static_cast<std::size_t>(std::max<Step>(step, 0));
  return step >= 0 && samples.has(index) ? static_cast<std::int64_t>(samples.at(index)) : 0;
}

GlobalBatch global_batch(const model::RunModel& run) {
  GlobalBatch batch;
  if (const auto work = work_of(run)) batch.asked = work->global_batch_nominal;
  for (const Rank number : run.ranks()) {
    const auto& rank = *run.rank(number);
    if (rank.left || !counts_samples(run, number)) continue;
    const auto& samples = rank.series(model::Metric::kSamples);
    const auto extremes = samples.extremes(0, samples.size());
    if (extremes.has_finite()) batch.seen += static_cast<std::int64_t>(extremes.highest);
    if (const auto* train = newest_train(rank)) batch.last += samples_at(rank, train->last_step);
  }
  return batch;
}

SampleVerdict judge_order(const Sampling& facts) {
  if (facts.order.any())
    return facts.order_requested ? SampleVerdict::kNote : SampleVerdict::kFailed;
  return facts.order.epochs < 2 ? SampleVerdict::kUnknown : SampleVerdict::kPassed;
}

SampleVerdict judge_moves(const model::RunModel& run, const Sampling& facts) {
  if (facts.compared == 0) return SampleVerdict::kUnknown;
  if (facts.still == 0) return SampleVerdict::kPassed;
  const bool few = run.shards().dataset_size() < kFewSamples && !facts.order.any();
  return few || facts.order_requested ? SampleVerdict::kNote : SampleVerdict::kFailed;
}

SampleVerdict judge_unvisited(const model::RunModel& run, const Sampling& facts) {
  if (run.shards().sampled() || facts.unvisited.passes == 0) return SampleVerdict::kUnknown;
  if (facts.unvisited.most == 0) return SampleVerdict::kPassed;
  return facts.unvisited.most <= facts.unvisited.allowed ? SampleVerdict::kNote
                                                         : SampleVerdict::kFailed;
}

SampleVerdict judge_batch(const GlobalBatch& batch) {
  if (batch.asked == 0 || batch.seen == 0) return SampleVerdict::kUnknown;
  return batch.asked == batch.seen ? SampleVerdict::kPassed : SampleVerdict::kNote;
}

}  // namespace

OrderRepeats order_repeats(const model::RunModel& run) {
  OrderRepeats repeats;
  const auto passes = run.shards().passes();
  repeats.source.assign(passes.size(), -1);
  std::unordered_map<std::uint64_t, std::int32_t> first_of;
  std::set<Epoch> epochs;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const auto place = static_cast<std::int32_t>(i);
    epochs.insert(passes[i].epoch);
    const auto [found, is_new] = first_of.emplace(passes[i].order_hash, place);
    if (is_new) continue;
    if (passes[static_cast<std::size_t>(found->second)].epoch == passes[i].epoch) {
      ++repeats.replayed;
      continue;
    }
    repeats.source[i] = found->second;
    const bool goes_on = repeats.last == place - 1 &&
                         repeats.source[static_cast<std::size_t>(repeats.last)] == found->second;
    if (!goes_on) repeats.first = place;
    repeats.last = place;
  }
  repeats.epochs = static_cast<std::int64_t>(epochs.size());
  return repeats;
}

LeftOut left_out(const model::RunModel& run) {
  LeftOut left;
  const auto work = work_of(run);
  // The samples of a short last batch that is dropped were drawn, but not read.
  const std::int64_t unread = work ? work->unread_samples : 0;
  left.allowed = std::max<std::int64_t>(unread, run.world_size() - 1);
  left.never = run.shards().never_drawn();
  for (const auto& pass : run.shards().passes()) {
    if (pass.stride > 1 || pass.rest) continue;
    ++left.passes;
    left.newest = std::max(pass.dataset_size - pass.distinct, unread);
    left.most = std::max(left.most, left.newest);
  }
  return left;
}

std::vector<ShardRow> shard_rows(const model::RunModel& run, std::size_t pass) {
  std::vector<ShardRow> rows;
  const auto* detail = run.shards().detail(pass);
  if (detail == nullptr) return rows;
  const auto& facts = run.shards().passes()[pass];
  for (std::size_t i = 0; i < detail->ranks.size(); ++i) {
    const auto same = detail->ranks[i].same_as;
    const auto& part = detail->ranks[same == kNoRank ? i : static_cast<std::size_t>(same)];
    const auto number = static_cast<Rank>(i);
    // A sampled shard reveals only the counts it announced.
    const std::int64_t distinct = facts.stride > 1 ? part.drawn - part.padded : part.distinct;
    ShardRow row{number, part.drawn, distinct, part.drawn - distinct, 0, 0, same};
    const auto* rank = run.rank(number);
    const auto* train =
        rank == nullptr ? nullptr : rank->epoch(messages::Phase::kTrain, facts.epoch);
    if (train != nullptr) {
      row.steps = train->report.steps;
      row.last_batch = samples_at(*rank, train->report.last_step);
    }
    rows.push_back(row);
  }
  return rows;
}

bool order_requested(const model::RunModel& run) {
  return !run.spec().sampler.shuffle && run.spec().program.argv.empty();
}

Sampling sampling_of(const model::RunModel& run) {
  Sampling facts;
  const auto& shards = run.shards();
  facts.own_program = !run.spec().program.argv.empty();
  facts.order_requested = order_requested(run);
  facts.order = order_repeats(run);
  facts.twice = repeated_draws(shards);
  facts.unvisited = left_out(run);
  facts.batch = global_batch(run);
  const auto passes = shards.passes();
  if (!passes.empty()) facts.parts = passes.back().parts;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    // Samples cannot move if there is only one part.
    if (passes[i].compared == 0 || passes[i].parts < 2) continue;
    ++facts.compared;
    if (passes[i].moved > 0) continue;
    if (facts.still++ == 0) facts.still_from = static_cast<std::int32_t>(i);
  }
  const auto set = [&facts](SampleCheck check, SampleVerdict judged) {
    facts.judged[static_cast<std::size_t>(check)] = judged;
  };
  const SampleVerdict known = passes.empty() ? SampleVerdict::kUnknown : SampleVerdict::kPassed;
  set(SampleCheck::kOrder, judge_order(facts));
  set(SampleCheck::kMoves, judge_moves(run, facts));
  set(SampleCheck::kTwice,
      facts.twice.most + facts.twice.shared > 0 ? SampleVerdict::kNote : known);
  set(SampleCheck::kUnvisited, judge_unvisited(run, facts));
  set(SampleCheck::kOverlap, facts.twice.shared > 0 ? SampleVerdict::kFailed : known);
  set(SampleCheck::kBatch, judge_batch(facts.batch));
  return facts;
}

}  // namespace ringside::analysis
