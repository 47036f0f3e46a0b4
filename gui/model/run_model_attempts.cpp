// Handles the beginning of another attempt of the run: the first rank that reports it does so for
// all ranks, so that readers never see a run that is half in the attempt before.
#include <algorithm>

#include "gui/model/bounds.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/model/run_model_rare.h"
#include "protocol/messages/rank_records.h"

namespace ringside::model {
namespace {

/// Whether the record is of an earlier attempt and was sent late by a slow rank: its attempt number
/// is lower than the newest, and not lower than this rank's last. If it is lower than that too, the
/// numbers restarted.
bool is_late(const Attempt& newest, const RankModel& rank, const messages::RankHello& body) {
  return body.attempt < newest.attempt && !(rank.hello && rank.hello->attempt > body.attempt);
}

/// Whether the hello only adds the device, which the process found after it had begun.
bool corrects(const RankModel& rank, const messages::RankHello& body) {
  return rank.hello && body.pid > 0 && rank.hello->pid == body.pid &&
         rank.hello->attempt == body.attempt && rank.hello->device_uuid != body.device_uuid;
}

/// Number of steps that a killed attempt trained but never reported, and after which the new
/// attempt continues. 0 if the rank sent its Goodbye, since lost reports are then counted by their
/// sequence numbers.
std::uint64_t cut_off(const RankModel& rank, Step first_step) {
  if (rank.goodbye || rank.left || rank.first_step < 0) return 0;
  const Step next = std::max(rank.reached + rank.stride, rank.hello->first_step);
  const Step last = std::min(first_step, Step{1} << 28) - 1;
  return last < next ? 0 : static_cast<std::uint64_t>((last - next) / rank.stride + 1);
}

}  // namespace

void RunModel::take(const messages::Stamp& stamp, const messages::RankHello& body) {
  RankModel& rank = *open_rank(stamp.rank, stamp.node);
  if (corrects(rank, body)) {
    rank.hello->device_index = body.device_index;
    rank.hello->device_uuid = body.device_uuid;
    rank.hello->device_name = body.device_name;
    return;
  }
  const bool late = !attempts_.empty() && is_late(attempts_.back(), rank, body);
  const bool anew = attempts_.empty() || (attempts_.back().attempt != body.attempt && !late);
  rank.node = stamp.node;
  const bool known = rank.hello.has_value();
  if (known) rank.counts.lost += cut_off(rank, body.first_step);
  rank.left = late && reported_world_size_ && stamp.rank >= *reported_world_size_;
  rank.behind = late;
  if (known) {
    ++rank.restarts;
    if (rank.hello->attempt == body.attempt) ++rank.said_again;
    rank.goodbye.reset();
    resume_at(rank, body.first_step);
  }
  rank.reached = rank.newest_step;
  // The rank has started again, whatever happened to it before.
  if (rank.state && rank.state->attempt < body.attempt) rank.state.reset();
  rank.hello = body;
  rank.hello_ns = stamp.mono_ns;
  rank.clock_uncertainty_ns = 0;
  // A far first step would stretch every column, so it is limited to a plausible value.
  rank.hello->first_step = std::clamp<Step>(body.first_step, 0, Step{1} << 28);
  rank.hello->steps_per_epoch = std::clamp<Step>(body.steps_per_epoch, 0, kMaxSteps);
  rank.hello->epochs = std::clamp<std::int64_t>(body.epochs, 0, kMaxEpochs);
  rare_->groups.begin(stamp.rank);
  if (late) return;
  if (body.world_size >= 1 && body.world_size <= kMaxRanks) reported_world_size_ = body.world_size;
  if (anew) begin_attempt(stamp, body);
  // Some programs do not report the number of ranks.
  attempts_.back().world_size = std::max(attempts_.back().world_size, stamp.rank + 1);
  if (!known && attempts_.size() > 1) rank.joined = rank.hello->first_step;
}

void RunModel::begin_attempt(const messages::Stamp& stamp, const messages::RankHello& body) {
  const Step first = std::clamp<Step>(body.first_step, 0, Step{1} << 28);
  if (!attempts_.empty()) {
    // Scalars of the whole run have no hello of their own: they restart with the first rank that
    // does.
    scalars_.resume(kNoRank, first);
    rare_->groups.begin_attempt(first);
    for (auto& [node, clock] : clocks_) clock.truncate(first);
    // The other ranks restart, too, and report that a moment later. Their records until then are of
    // the earlier attempt.
    for (const Rank number : rank_list_) {
      RankModel& rank = *ranks_[step_index(number)];
      if (number == stamp.rank || rank.left) continue;
      rank.left = body.world_size >= 1 && number >= body.world_size;
      rank.behind = true;
      resume_at(rank, first);
    }
  }
  if (attempts_.size() == kKeptAttempts) attempts_.pop_back();
  attempts_.push_back({body.attempt, stamp.mono_ns, world_size(), first});
}

std::size_t RunModel::attempt_of(const RankModel& rank) const {
  std::size_t place = attempts_.empty() ? 0 : attempts_.size() - 1;
  if (!rank.behind || !rank.hello) return place;
  while (place > 0 && attempts_[place].attempt != rank.hello->attempt) --place;
  return place;
}

Rank RunModel::world_size_of(const RankModel& rank) const {
  const std::size_t place = attempt_of(rank);
  return place + 1 >= attempts_.size() ? world_size() : attempts_[place].world_size;
}

// A rank's hello may be lost: records later than the first record of the newest attempt belong to
// that attempt.
bool RunModel::is_gone(const RankModel& rank, Step step, std::int64_t at_ns) const {
  return rank.behind && step >= attempts_.back().first_step && at_ns < attempts_.back().at_ns;
}

void RunModel::forget_states(std::int32_t attempt) {
  for (const Rank number : rank_list_) {
    auto& state = ranks_[step_index(number)]->state;
    if (state && !messages::is_final(state->state) && state->attempt < attempt) state.reset();
  }
}

// Steps from `first_step` on were trained by an earlier attempt, and are no longer part of the run.
void RunModel::resume_at(RankModel& rank, Step first_step) {
  const Step first = std::max<Step>(0, first_step);
  for (std::size_t step = step_index(first); step < rank.end_ns.size(); ++step) {
    if (is_absent(rank.end_ns.at(step))) continue;
    ++rank.steps_discarded;
    --rank.steps_reported;
    ranks_at_step_.set(step, ranks_at_step_.at(step) - 1);
  }
  for (Series& series : rank.metrics) series.truncate(step_index(first));
  rank.end_ns.truncate(step_index(first));
  rank.last_ready_ns.truncate(step_index(first));
  rank.gaps.truncate(first);
  mean_loss_.truncate(step_index(first));
  scalars_.resume(rank.rank, first);
  std::erase_if(rank.buckets, [&](const BucketTimes& bucket) { return bucket.step >= first; });
  for (auto& list : rank.epochs) {
    for (auto& entry : list) {
      if (entry && entry->report.last_step > first) entry.reset();
    }
  }
  for (Step& start : epoch_starts_) {
    if (start > first) start = -1;
  }
  if (rank.rank == rank_list_.front()) {
    std::erase_if(lr_changes_, [&](const auto& change) { return change.first >= first; });
  }
  rank.newest_step = static_cast<Step>(rank.end_ns.size()) - 1;
  while (rank.newest_step >= 0 && is_absent(rank.end_ns.at(step_index(rank.newest_step)))) {
    --rank.newest_step;
  }
}

}  // namespace ringside::model
