// Everything a viewer knows of one run, as columns per rank. Records are added by `accept` in log
// order, from a file or live; readers are pure functions and views. Used by one thread, so there is
// no lock; lives as long as the run is open. `revision` changes with every record. All times
// inside are on the monotonic clock of node 0: other nodes' times are converted by their newest
// ClockSync, those of a step by one and the same on all ranks of a node.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/attempt.h"
#include "gui/model/clock_history.h"
#include "gui/model/run_clock.h"
#include "gui/model/run_model_fwd.h"
#include "gui/model/scalar_store.h"
#include "gui/model/sender_counts.h"
#include "gui/model/series.h"
#include "gui/model/shard_store.h"
#include "protocol/messages/record_sink.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::model {

/// Records that were refused.
struct RefusedCounts {
  std::uint64_t rank_out_of_range = 0;
  std::uint64_t step_out_of_range = 0;
  std::uint64_t epoch_out_of_range = 0;
  std::uint64_t too_many_names = 0;  ///< scalars and devices beyond what is kept
  std::uint64_t total() const {
    return rank_out_of_range + step_out_of_range + epoch_out_of_range + too_many_names;
  }
};

inline constexpr Rank kMaxRanks = 65536;
/// A step further than this beyond what is known is not believed.
inline constexpr Step kMaxStepJump = Step{1} << 24;
inline constexpr Epoch kMaxEpochs = 1 << 20;
inline constexpr std::size_t kKeptLrChanges = 4096;
inline constexpr std::size_t kMaxNames = 4096;  ///< of devices

class RunModel final : public messages::RecordSink {
 public:
  explicit RunModel(messages::RunSpec spec = {});
  ~RunModel() override;
  RunModel(RunModel&&) noexcept;
  RunModel& operator=(RunModel&&) noexcept;

  void accept(const messages::Stamp& stamp, const messages::Record& record) override;

  std::uint64_t revision() const { return revision_; }
  const messages::RunSpec& spec() const { return spec_; }

  /// What a person's own program consisted of when the run began: for each file, and for its
  /// packages, what stands for the content. Empty: not known, or our own trainer.
  using ProgramParts = std::map<std::string, std::string>;
  const ProgramParts& program_parts() const { return program_parts_; }
  void set_program_parts(ProgramParts parts) { program_parts_ = std::move(parts); }

  /// Ranks of the run: from the newest hello, else from the spec, and never fewer than have
  /// reported since that attempt began.
  Rank world_size() const;
  /// Ranks that a step belongs to: a run may go on with more or fewer than before.
  Rank world_size_at(Step step) const;
  /// Ranks with records of their own or about them, ascending.
  std::span<const Rank> ranks() const { return rank_list_; }
  const RankModel* rank(Rank rank) const;

  /// State of the run as recorded; nothing before the agent reported one.
  const std::optional<messages::RankState>& run_state() const;
  std::span<const StateChange> run_states() const;

  /// Mean over ranks of a step's loss, weighted by samples; there where every rank has reported.
  const Series& mean_loss() const {
    if (mean_from_ < mean_to_) fill_mean();
    return mean_loss_;
  }
  /// One past the newest step any rank reported.
  std::size_t steps_end() const;
  /// Newest step that every rank of the run has reported; -1: none.
  Step newest_common_step() const;
  /// Steps per epoch as in the ranks' hello, else seen between epoch starts; 0: not known yet.
  std::int64_t steps_per_epoch() const;
  /// Epochs from hello, else from the spec; 0: not known.
  std::int64_t epochs_planned() const;
  /// Steps of the whole run; 0: not known.
  std::int64_t steps_planned() const;
  /// (step, lr) wherever the first rank's learning rate changed, its first step included; the first
  /// kKeptLrChanges.
  std::span<const std::pair<Step, float>> lr_changes() const { return lr_changes_; }

  std::span<const DeviceModel> devices() const;
  const DeviceModel* device(Node node, const std::string& uuid) const;
  /// How two devices of a node reach each other, "NV4"; empty: not known.
  const std::string& link(Node node, const std::string& a, const std::string& b) const;
  const std::map<Node, HostModel>& hosts() const;
  /// What ranks did together in their process groups.
  const GroupStore& groups() const;
  const std::deque<NoticeEntry>& notices() const;
  std::uint64_t notices_seen() const { return notices_seen_; }
  std::span<const CheckpointEntry> checkpoints() const;
  const ScalarStore& scalars() const { return scalars_; }
  /// The newest; nothing told of node 0.
  ClockOffset clock_offset(Node node) const;
  /// True when the node's clock is known against node 0.
  bool clock_known(Node node) const { return node == 0 || clocks_.contains(node); }
  /// How wrong it may be at that moment; 0 on node 0, kMaxOffsetNs where it is not known.
  std::int64_t clock_uncertainty_ns(Node node, std::int64_t at_ns) const;
  /// Null for node 0 and for nodes without a ClockSync record.
  const ClockHistory* clock_history(Node node) const;
  /// True when every node's is.
  bool clocks_known() const;

  /// The samples that the ranks drew.
  const ShardStore& shards() const { return shards_; }
  /// Starts of the run, and from which step; the newest, and the first of the others.
  std::span<const Attempt> attempts() const { return attempts_; }

  /// Records of the agents, by node.
  const std::map<Node, SenderCounts>& agents() const { return agents_; }
  /// Records lost over all senders: gaps in their numbers plus what ranks dropped at the end beyond
  /// those.
  std::uint64_t lost_records() const;
  const RefusedCounts& refused() const { return refused_; }

  std::int64_t first_ns() const { return first_ns_; }  ///< first record; 0: none
  std::int64_t last_ns() const { return last_ns_; }    ///< newest record
  /// A time on the monotonic clock of the node, as its newest start has it, on the scale of these.
  std::int64_t on_scale(Node node, std::int64_t mono_ns) const { return shifted(node, mono_ns); }
  /// How much older the newest record of a node, its ranks' included, is than that of the run: each
  /// agent samples its host all the time, so that the log of this one comes late. Nothing where the
  /// node's clock is not known.
  std::optional<std::int64_t> late_ns(Node node) const;
  /// When the first step of the run began on its earliest rank; 0: not yet.
  std::int64_t training_began_ns() const { return training_began_ns_; }
  /// wall_ns - mono_ns of node 0, or as far as another node tells it; nothing: no record gave both.
  std::optional<std::int64_t> wall_offset_ns() const;
  /// When the wall clock of the node showed this: those of nodes differ. Nothing as there.
  std::optional<std::int64_t> time_of_wall(Node node, std::int64_t wall_ns) const;

  std::size_t memory_bytes() const;

  /// What `find` finds in this model. It looks once a revision, however many ask; what it found
  /// stands until the next record.
  template <class T>
  const T& once(T (*find)(const RunModel&)) const {
    Found& found = found_[reinterpret_cast<void (*)()>(find)];
    if (found.revision != revision_) {
      found.what = find(*this);
      found.revision = revision_;
    }
    return *std::any_cast<T>(&found.what);
  }

 private:
  struct Found {
    std::uint64_t revision = 0;
    std::any what;
  };
  /// What rare records hold; defined elsewhere, so that this header includes none of them.
  struct Rare;

  RankModel* open_rank(Rank rank, Node node) {
    const auto index = static_cast<std::size_t>(rank);
    const bool known = index < ranks_.size() && ranks_[index] != nullptr;
    return known ? ranks_[index].get() : add_rank(rank, node);
  }
  RankModel* add_rank(Rank rank, Node node);
  SenderCounts& counts_of(const messages::Stamp& stamp, RankModel* rank);
  std::int64_t shifted(Node node, std::int64_t mono_ns) const;
  std::int64_t shifted(Node node, std::int64_t mono_ns, const ClockOffset* clock) const;
  void compare_clock(const messages::Stamp& stamp, const messages::ClockSync& body);
  void take(const messages::Stamp& stamp, const messages::RankHello& body);
  void take(const messages::Stamp& stamp, const messages::StepReport& body);
  void take(const messages::Stamp& stamp, const messages::BucketReport& body);
  void take(const messages::Stamp& stamp, const messages::EpochReport& body);
  void take(const messages::Stamp& stamp, const messages::ShardReport& body);
  void take(const messages::Stamp& stamp, const messages::DeviceSample& body);
  void take(const messages::Stamp& stamp, const messages::HostSample& body);
  void take(const messages::Stamp& stamp, const messages::RankState& body);
  void take(const messages::Stamp& stamp, const messages::ClockSync& body);
  void take(const messages::Stamp& stamp, const messages::Checkpoint& body);
  void take(const messages::Stamp& stamp, const messages::Notice& body);
  void take(const messages::Stamp& stamp, const messages::Scalar& body);
  void take(const messages::Stamp& stamp, const messages::RankGoodbye& body);
  void take(const messages::Stamp& stamp, const messages::DeviceLink& body);
  void take(const messages::Stamp& stamp, const messages::GroupReport& body);
  void take(const messages::Stamp& stamp, const messages::CollectiveReport& body);
  bool believable_step(const RankModel& rank, Step step);
  void move_clock(Node node, std::int64_t moved_ns);
  void set_step_columns(RankModel& rank, const messages::StepReport& body, std::int64_t end_ns);
  void begin_attempt(const messages::Stamp& stamp, const messages::RankHello& body);
  void resume_at(RankModel& rank, Step first_step);
  /// The place of the attempt that a rank speaks of.
  std::size_t attempt_of(const RankModel& rank) const;
  Rank world_size_of(const RankModel& rank) const;
  /// A step that the attempt before trained and the newest one trains again.
  bool is_gone(const RankModel& rank, Step step, std::int64_t at_ns) const;
  /// What ranks were doing before that attempt they do no longer; how they ended stands.
  void forget_states(std::int32_t attempt);
  void note_epoch_start(const messages::StepReport& body);
  void note_lr(const messages::StepReport& body);
  void fill_mean() const;
  std::optional<float> mean_of_step(std::size_t step, Rank everybody) const;

  messages::RunSpec spec_;
  ProgramParts program_parts_;
  std::uint64_t revision_ = 1;
  std::vector<std::unique_ptr<RankModel>> ranks_;  ///< by rank; null: no record of it yet
  std::vector<Rank> rank_list_;
  std::unique_ptr<Rare> rare_;  ///< never null, except in a model that was moved from
  mutable Series
      mean_loss_;  ///< of the steps outside [mean_from_, mean_to_), filled when asked for
  mutable std::size_t mean_from_ = std::numeric_limits<std::size_t>::max();
  mutable std::size_t mean_to_ = 0;
  Column<std::int64_t> ranks_at_step_;
  std::vector<std::pair<Step, float>> lr_changes_;
  std::vector<Step> epoch_starts_;  ///< by epoch: first step seen in it
  std::uint64_t notices_seen_ = 0;
  ScalarStore scalars_;
  std::map<Node, ClockHistory> clocks_;
  std::map<Node, SenderCounts> agents_;
  std::map<Node, std::int64_t> heard_ns_;  ///< newest record, of nodes whose clock is known
  ShardStore shards_;
  std::vector<Attempt> attempts_;
  RefusedCounts refused_;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t training_began_ns_ = 0;
  RunClock clock_;
  std::optional<Rank> told_world_size_;
  mutable std::map<void (*)(), Found> found_;  ///< by who looks
};

}  // namespace ringside::model
