#include "gui/model/run_model.h"

#include <algorithm>
#include <type_traits>

#include "gui/model/bounds.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model_rare.h"
#include "protocol/messages/records.h"

namespace ringside::model {

RunModel::RunModel(messages::RunSpec spec)
    : spec_(std::move(spec)), rare_(std::make_unique<Rare>()) {}
RunModel::~RunModel() = default;
RunModel::RunModel(RunModel&&) noexcept = default;
RunModel& RunModel::operator=(RunModel&&) noexcept = default;

void RunModel::accept(const messages::Stamp& stamp, const messages::Record& record) {
  ++revision_;
  if (stamp.rank < kNoRank || stamp.rank >= kMaxRanks) {
    ++refused_.rank_out_of_range;
    return;
  }
  if (const std::int64_t moved = clock_.note(stamp, record); moved != 0)
    move_clock(stamp.node, moved);
  // A ClockSync is applied before its own time is converted.
  if (const auto* sync = std::get_if<messages::ClockSync>(&record)) compare_clock(stamp, *sync);
  messages::Stamp at = stamp;
  at.mono_ns = shifted(stamp.node, stamp.mono_ns);
  if (clock_known(stamp.node)) {
    if (first_ns_ == 0 || at.mono_ns < first_ns_) first_ns_ = at.mono_ns;
    last_ns_ = std::max(last_ns_, at.mono_ns);
    std::int64_t& last_record_ns =
        last_record_ns_.try_emplace(stamp.node, at.mono_ns).first->second;
    last_record_ns = std::max(last_record_ns, at.mono_ns);
  }

  RankModel* rank = stamp.rank == kNoRank ? nullptr : open_rank(stamp.rank, stamp.node);
  SenderCounts& counts = counts_of(stamp, rank);
  const std::uint64_t before = counts.next_seq;
  count_record(counts, stamp.seq, record);
  if (rank != nullptr) {
    rank->last_record_ns = std::max(rank->last_record_ns, at.mono_ns);
    // Restarted sequence numbers mean that the rank is in the newest attempt, even if its hello was
    // lost.
    if (counts.next_seq < before) rank->behind = false;
  }
  // Records that only ranks may send are refused from an agent, and so are unknown kinds.
  std::visit(
      [&](const auto& body) {
        constexpr bool of_agent = requires { std::decay_t<decltype(body)>::kAgentMaySay; };
        if (!of_agent && rank == nullptr) {
          ++refused_.rank_out_of_range;
        } else {
          take(at, body);
        }
      },
      record);
}

SenderCounts& RunModel::counts_of(const messages::Stamp& stamp, RankModel* rank) {
  return rank == nullptr ? agents_[stamp.node] : rank->counts;
}

std::int64_t RunModel::shifted(Node node, std::int64_t mono_ns) const {
  const ClockHistory* clock = clock_history(node);
  return shifted(node, mono_ns, clock == nullptr ? nullptr : &clock->newest());
}

std::int64_t RunModel::shifted(Node node, std::int64_t mono_ns, const ClockOffset* clock) const {
  // The offset was measured between the present clocks of both nodes, so the result is a present
  // time of node 0, which is converted to node 0's first scale.
  const std::int64_t on_first =
      clock == nullptr ? clock_.on_first_scale(node, mono_ns)
                       : clock_.on_first_scale(0, bounded(mono_ns, kMaxTimeNs) - clock->offset_ns);
  return bounded(on_first, kMaxWallNs);
}

// A machine was restarted and has another monotonic clock. Until the clocks are compared again, the
// wall clocks are used.
void RunModel::move_clock(Node node, std::int64_t moved_ns) {
  for (auto& [other, history] : clocks_) {
    if (node != 0 && node != other) continue;
    ClockOffset clock = history.newest();
    clock.offset_ns = bounded(clock.offset_ns + (node == 0 ? moved_ns : -moved_ns), kMaxOffsetNs);
    clock.uncertainty_ns = std::max(clock.uncertainty_ns, kWallCorrectionNs);
    history.add(clock);
  }
}

RankModel* RunModel::add_rank(Rank rank, Node node) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= ranks_.size()) ranks_.resize(index + 1);
  ranks_[index] = std::make_unique<RankModel>();
  ranks_[index]->rank = rank;
  ranks_[index]->node = node;
  rank_list_.insert(std::upper_bound(rank_list_.begin(), rank_list_.end(), rank), rank);
  return ranks_[index].get();
}

Rank RunModel::world_size() const {
  const Rank told =
      reported_world_size_
          ? *reported_world_size_
          : static_cast<Rank>(std::clamp<std::int64_t>(spec_.devices.world_size, 1, kMaxRanks));
  const auto newest = std::find_if(rank_list_.rbegin(), rank_list_.rend(), [&](Rank rank) {
    return !ranks_[static_cast<std::size_t>(rank)]->left;
  });
  return newest == rank_list_.rend() ? told : std::max(told, *newest + 1);
}

Rank RunModel::world_size_at(Step step) const {
  for (std::size_t i = attempts_.size(); i-- > 0;) {
    if (attempts_[i].first_step > step) continue;
    return i + 1 == attempts_.size() ? world_size() : attempts_[i].world_size;
  }
  return world_size();
}

const RankModel* RunModel::rank(Rank rank) const {
  return rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()
             ? nullptr
             : ranks_[static_cast<std::size_t>(rank)].get();
}

std::size_t RunModel::steps_end() const {
  std::size_t end = 0;
  for (const Rank rank : rank_list_)
    end = std::max(end, ranks_[static_cast<std::size_t>(rank)]->end_ns.size());
  return end;
}

Step RunModel::newest_common_step() const {
  Step common = std::numeric_limits<Step>::max();
  Rank there = 0;
  for (const Rank number : rank_list_) {
    const RankModel& rank = *ranks_[static_cast<std::size_t>(number)];
    if (rank.left) continue;
    // A rank that was added by a resume has the steps that were trained before.
    const Step had = rank.hello ? rank.hello->first_step - 1 : -1;
    common = std::min(common, std::max(had, rank.newest_step));
    ++there;
  }
  return there == 0 || there < world_size() ? -1 : common;
}

std::int64_t RunModel::steps_per_epoch() const {
  for (const Rank rank : rank_list_) {
    const auto& hello = ranks_[static_cast<std::size_t>(rank)]->hello;
    if (hello && hello->steps_per_epoch > 0) return hello->steps_per_epoch;
  }
  // For a program that does not report it, the distance between the starts of two consecutive
  // epochs is used.
  for (std::size_t epoch = epoch_starts_.size(); epoch > 1; --epoch) {
    const Step end = epoch_starts_[epoch - 1];
    const Step begin = epoch_starts_[epoch - 2];
    if (begin >= 0 && end > begin) return end - begin;
  }
  return 0;
}

std::int64_t RunModel::epochs_planned() const {
  for (const Rank rank : rank_list_) {
    const auto& hello = ranks_[static_cast<std::size_t>(rank)]->hello;
    if (hello && hello->epochs > 0) return hello->epochs;
  }
  return spec_.program.argv.empty() ? std::clamp<std::int64_t>(spec_.train.epochs, 0, kMaxEpochs)
                                    : 0;
}

std::int64_t RunModel::steps_planned() const {
  const std::int64_t steps = steps_per_epoch() * epochs_planned();
  const std::int64_t limit = spec_.program.argv.empty() ? spec_.train.max_steps : 0;
  return limit > 0 && (steps == 0 || limit < steps) ? limit : steps;
}

const std::optional<messages::RankState>& RunModel::run_state() const { return rare_->run_state; }
std::span<const StateChange> RunModel::run_states() const { return rare_->run_states; }
const GroupStore& RunModel::groups() const { return rare_->groups; }
std::span<const DeviceModel> RunModel::devices() const { return rare_->devices; }
const std::map<Node, HostModel>& RunModel::hosts() const { return rare_->hosts; }
const std::deque<NoticeEntry>& RunModel::notices() const { return rare_->notices; }
std::span<const CheckpointEntry> RunModel::checkpoints() const { return rare_->checkpoints; }

const DeviceModel* RunModel::device(Node node, const std::string& uuid) const {
  const auto found = rare_->device_places.find({node, uuid});
  return found == rare_->device_places.end() ? nullptr : &rare_->devices[found->second];
}

const std::string& RunModel::link(Node node, const std::string& a, const std::string& b) const {
  static const std::string kUnknown;
  const auto found = rare_->links.find({node, {a, b}});
  return found == rare_->links.end() ? kUnknown : found->second;
}

ClockOffset RunModel::clock_offset(Node node) const {
  const ClockHistory* known = clock_history(node);
  return known == nullptr ? ClockOffset{} : known->newest();
}

std::int64_t RunModel::clock_uncertainty_ns(Node node, std::int64_t at_ns) const {
  if (node == 0) return 0;
  const ClockHistory* known = clock_history(node);
  return known == nullptr ? kMaxOffsetNs : known->newest().uncertainty_at(at_ns);
}

const ClockHistory* RunModel::clock_history(Node node) const {
  const auto found = node == 0 ? clocks_.end() : clocks_.find(node);
  return found == clocks_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> RunModel::late_ns(Node node) const {
  const auto heard = last_record_ns_.find(node);
  return heard == last_record_ns_.end() ? std::nullopt : std::optional(last_ns_ - heard->second);
}

bool RunModel::clocks_known() const {
  return std::all_of(rank_list_.begin(), rank_list_.end(), [&](Rank rank) {
    return clock_known(ranks_[static_cast<std::size_t>(rank)]->node);
  });
}

std::optional<std::int64_t> RunModel::wall_offset_ns() const {
  const auto told = clock_.first_told();
  if (!told) return std::nullopt;
  return bounded(*clock_.wall_base_ns(*told) - shifted(*told, 0), kMaxWallNs);
}

std::optional<std::int64_t> RunModel::time_of_wall(Node node, std::int64_t wall_ns) const {
  const std::int64_t wall = bounded(wall_ns, kMaxWallNs);
  if (const auto base = clock_.wall_base_ns(node)) return shifted(node, wall - *base);
  const auto offset = wall_offset_ns();
  return offset ? std::optional(bounded(wall - *offset, kMaxWallNs)) : std::nullopt;
}

std::uint64_t RunModel::lost_records() const {
  std::uint64_t lost = 0;
  for (const auto& [node, counts] : agents_) lost += counts.lost;
  for (const Rank rank : rank_list_) lost += ranks_[static_cast<std::size_t>(rank)]->counts.lost;
  return lost;
}

std::size_t RunModel::memory_bytes() const {
  std::size_t total = mean_loss_.memory_bytes() + ranks_at_step_.memory_bytes();
  for (const Rank number : rank_list_) {
    const RankModel& rank = *ranks_[static_cast<std::size_t>(number)];
    for (const Series& series : rank.metrics) total += series.memory_bytes();
    total += rank.end_ns.memory_bytes() + rank.last_ready_ns.memory_bytes() +
             rank.gaps.memory_bytes() + rank.buckets.size() * sizeof(BucketTimes);
    for (const auto& list : rank.epochs) total += list.capacity() * sizeof(list[0]);
  }
  for (const auto& [node, clock] : clocks_) total += clock.memory_bytes();
  return total + scalars_.memory_bytes() + shards_.memory_bytes();
}

}  // namespace ringside::model
