// All data of one run, as columns per rank. Records are added by `accept` in log order, from a file
// or live; readers are pure functions and views. Used by one thread, so there is no lock; lives as
// long as the run is open. `revision` changes with every record. All times are on the monotonic
// clock of node 0: other nodes' times are converted by their newest ClockSync, and those of one
// step by the same ClockSync on all ranks of a node.
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

/// One start of a run: the first one, or a restart after a failure or on request.
struct Attempt {
  std::int32_t attempt = 0;
  std::int64_t at_ns = 0;  ///< time of its first hello
  Rank world_size = 1;
  Step first_step = 0;  ///< above 0: resumed from a checkpoint
};
inline constexpr std::size_t kKeptAttempts = 1024;

struct RefusedCounts {
  std::uint64_t rank_out_of_range = 0;
  std::uint64_t step_out_of_range = 0;
  std::uint64_t epoch_out_of_range = 0;
  std::uint64_t too_many_names = 0;  ///< scalars and devices beyond the limits
  std::uint64_t total() const {
    return rank_out_of_range + step_out_of_range + epoch_out_of_range + too_many_names;
  }
};

inline constexpr Rank kMaxRanks = 65536;
/// Largest plausible jump of a step beyond the known ones.
inline constexpr Step kMaxStepJump = Step{1} << 24;
inline constexpr Epoch kMaxEpochs = 1 << 20;
inline constexpr std::size_t kKeptLrChanges = 4096;
inline constexpr std::size_t kMaxNames = 4096;  ///< number of devices

class RunModel final : public messages::RecordSink {
 public:
  explicit RunModel(messages::RunSpec spec = {});
  ~RunModel() override;
  RunModel(RunModel&&) noexcept;
  RunModel& operator=(RunModel&&) noexcept;

  void accept(const messages::Stamp& stamp, const messages::Record& record) override;

  std::uint64_t revision() const { return revision_; }
  const messages::RunSpec& spec() const { return spec_; }

  /// Checksums of a custom program's files and of its packages when the run began. Empty: unknown,
  /// or our own trainer.
  using ProgramParts = std::map<std::string, std::string>;
  const ProgramParts& program_parts() const { return program_parts_; }
  void set_program_parts(ProgramParts parts) { program_parts_ = std::move(parts); }

  /// Number of ranks: from the newest hello, or else from the spec, but at least those that have
  /// reported since that attempt began.
  Rank world_size() const;
  /// Number of ranks in this step: a run may be resumed with more or fewer ranks.
  Rank world_size_at(Step step) const;
  /// Ranks that have records or are named in one, ascending.
  std::span<const Rank> ranks() const { return rank_list_; }
  const RankModel* rank(Rank rank) const;

  /// The recorded state of the run; nothing before the agent reported one.
  const std::optional<messages::RankState>& run_state() const;
  std::span<const StateChange> run_states() const;

  /// Mean loss over ranks, weighted by samples, for steps that every rank has reported.
  const Series& mean_loss() const {
    if (mean_from_ < mean_to_) fill_mean();
    return mean_loss_;
  }
  /// One past the newest step any rank reported.
  std::size_t steps_end() const;
  /// Newest step that every rank has reported; -1: none.
  Step newest_common_step() const;
  /// Steps per epoch from the ranks' hello, or else from the starts of epochs; 0: unknown.
  std::int64_t steps_per_epoch() const;
  /// Number of epochs from the hello, or else from the spec; 0: unknown.
  std::int64_t epochs_planned() const;
  /// Number of steps in the whole run; 0: unknown.
  std::int64_t steps_planned() const;
  /// (step, lr) of each change of the first rank's learning rate, including its first step; only
  /// the first kKeptLrChanges.
  std::span<const std::pair<Step, float>> lr_changes() const { return lr_changes_; }

  std::span<const DeviceModel> devices() const;
  const DeviceModel* device(Node node, const std::string& uuid) const;
  /// Link between two devices of a node, such as "NV4"; empty: unknown.
  const std::string& link(Node node, const std::string& a, const std::string& b) const;
  const std::map<Node, HostModel>& hosts() const;
  const GroupStore& groups() const;
  const std::deque<NoticeEntry>& notices() const;
  std::uint64_t notices_seen() const { return notices_seen_; }
  std::span<const CheckpointEntry> checkpoints() const;
  const ScalarStore& scalars() const { return scalars_; }
  /// The newest offset; zeros for node 0.
  ClockOffset clock_offset(Node node) const;
  /// Whether the node's clock is known relative to node 0.
  bool clock_known(Node node) const { return node == 0 || clocks_.contains(node); }
  /// Uncertainty of the node's clock at that time; 0 on node 0, kMaxOffsetNs if unknown.
  std::int64_t clock_uncertainty_ns(Node node, std::int64_t at_ns) const;
  /// Null for node 0 and for nodes without a ClockSync record.
  const ClockHistory* clock_history(Node node) const;
  bool clocks_known() const;

  /// The samples that the ranks drew.
  const ShardStore& shards() const { return shards_; }
  /// Starts of the run, each with its first step; if there are too many, the first ones and the
  /// newest.
  std::span<const Attempt> attempts() const { return attempts_; }

  const std::map<Node, SenderCounts>& agents() const { return agents_; }
  /// Lost records of all senders: gaps in their sequence numbers, and what ranks reported as
  /// dropped beyond those.
  std::uint64_t lost_records() const;
  const RefusedCounts& refused() const { return refused_; }

  std::int64_t first_ns() const { return first_ns_; }  ///< first record; 0: none
  std::int64_t last_ns() const { return last_ns_; }    ///< newest record
  /// Converts a time on the node's present monotonic clock to the time scale of the model.
  std::int64_t on_scale(Node node, std::int64_t mono_ns) const { return shifted(node, mono_ns); }
  /// Age difference between the newest record of the run and that of a node, including its ranks:
  /// agents sample their host all the time, so a difference means that the node's log comes late.
  /// Nothing if the node's clock is not known.
  std::optional<std::int64_t> late_ns(Node node) const;
  /// Start of the run's first step on the earliest rank; 0: not yet.
  std::int64_t training_began_ns() const { return training_began_ns_; }
  /// wall_ns - mono_ns of node 0, or an estimate from another node; nothing: no record has both.
  std::optional<std::int64_t> wall_offset_ns() const;
  /// Converts a time of the node's own wall clock. Nothing as for wall_offset_ns().
  std::optional<std::int64_t> time_of_wall(Node node, std::int64_t wall_ns) const;

  std::size_t memory_bytes() const;

  /// The cached result of `find`, which is called once per revision of the model. The reference is
  /// valid until the next record.
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
  /// Data of rare records; defined elsewhere, so that this header includes none of them.
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
  std::size_t attempt_of(const RankModel& rank) const;
  Rank world_size_of(const RankModel& rank) const;
  /// Whether the step is of an earlier attempt and is trained again by the newest one.
  bool is_gone(const RankModel& rank, Step step, std::int64_t at_ns) const;
  /// Forgets what ranks were doing before that attempt, but not how they ended.
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
  std::unique_ptr<Rare> rare_;  ///< null only in a moved-from model
  mutable Series mean_loss_;    ///< valid outside of [mean_from_, mean_to_), completed on demand
  mutable std::size_t mean_from_ = std::numeric_limits<std::size_t>::max();
  mutable std::size_t mean_to_ = 0;
  Column<std::int64_t> ranks_at_step_;
  std::vector<std::pair<Step, float>> lr_changes_;
  std::vector<Step> epoch_starts_;  ///< by epoch: first step seen in it
  std::uint64_t notices_seen_ = 0;
  ScalarStore scalars_;
  std::map<Node, ClockHistory> clocks_;
  std::map<Node, SenderCounts> agents_;
  std::map<Node, std::int64_t> last_record_ns_;  ///< newest record, for nodes whose clock is known
  ShardStore shards_;
  std::vector<Attempt> attempts_;
  RefusedCounts refused_;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t training_began_ns_ = 0;
  RunClock clock_;
  std::optional<Rank> reported_world_size_;
  mutable std::map<void (*)(), Found> found_;  ///< by the function that computed it
};

}  // namespace ringside::model
