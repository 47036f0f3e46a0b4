// The facts a run is made of, as plain structs. One list of fields per record, in `fields`, drives
// the encoding, the CSV columns and the JSON; its order is the order on the wire (FORMAT.md), so
// fields are only ever appended. Values: times in ns (mono_ns clock unless "wall"), sizes in bytes,
// kUnknownF = not known.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::messages {

/// A float that is not known: a quiet NaN with bits of its own, so that it differs from a NaN that
/// somebody computed. Ask with is_unknown; every other NaN is a value.
inline constexpr float kUnknownF = std::bit_cast<float>(0x7fc0deadU);
inline bool is_unknown(float value) { return std::bit_cast<std::uint32_t>(value) == 0x7fc0deadU; }

/// Wire numbers; never reused, never renumbered.
enum class RecordType : std::uint16_t {
  kRankHello = 1,
  kStepReport = 2,
  kBucketReport = 3,
  kEpochReport = 4,
  kShardReport = 5,
  kDeviceSample = 6,
  kHostSample = 7,
  kRankState = 8,
  kClockSync = 9,
  kCheckpoint = 10,
  kNotice = 11,
  kScalar = 12,
  kRankGoodbye = 13,
};

/// Who said it, when, and as which of its records. `seq` counts from 0 every record a sender
/// produced, lost ones included, so a gap is a loss. Senders are (node, rank); the agent is rank
/// kNoRank.
struct Stamp {
  Node node = 0;
  Rank rank = kNoRank;
  std::uint64_t seq = 0;
  std::int64_t mono_ns = 0;
  bool operator==(const Stamp&) const = default;
};

/// What a rank (or, with rank kNoRank, the run) is doing. "Interrupted" and "lost contact" are
/// conclusions of a viewer and never recorded.
enum class State : std::uint8_t {
  kQueued = 0,
  kStarting = 1,
  kTraining = 2,
  kEvaluating = 3,
  kSaving = 4,
  kStopping = 5,
  kFinished = 6,
  kFailed = 7,
  kStopped = 8,
  kDidNotDie = 9,
};

enum class Phase : std::uint8_t { kTrain = 0, kValidate = 1, kTest = 2 };
enum class Severity : std::uint8_t { kInfo = 0, kWarning = 1, kError = 2 };

/// First record of a rank's attempt.
struct RankHello {
  static constexpr RecordType kType = RecordType::kRankHello;
  std::int32_t pid = 0;
  std::int32_t local_rank = 0;
  std::int32_t world_size = 1;
  std::int32_t attempt = 0;
  std::int32_t device_index = -1;  ///< of its kind on this host; -1: a CPU slot
  std::string device_uuid;         ///< "cpu" or the GPU's UUID
  std::string device_name;
  std::string host;
  std::string backend;   ///< "gloo", "nccl", "solo"
  std::string versions;  ///< "torch 2.11.0, ..." as one line
  std::int32_t threads = 0;
  std::int64_t wall_ns = 0;  ///< at the same moment as Stamp::mono_ns
  std::int64_t parameters = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t epochs = 0;
  std::int64_t first_step = 0;  ///< above 0 after a resume

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("pid", r.pid);
    visit("local_rank", r.local_rank);
    visit("world_size", r.world_size);
    visit("attempt", r.attempt);
    visit("device_index", r.device_index);
    visit("device_uuid", r.device_uuid);
    visit("device_name", r.device_name);
    visit("host", r.host);
    visit("backend", r.backend);
    visit("versions", r.versions);
    visit("threads", r.threads);
    visit("wall_ns", r.wall_ns);
    visit("parameters", r.parameters);
    visit("gradient_bytes", r.gradient_bytes);
    visit("steps_per_epoch", r.steps_per_epoch);
    visit("epochs", r.epochs);
    visit("first_step", r.first_step);
  }
};

/// One optimizer step of one rank, posted at its end. The phases never overlap and never exceed
/// step_ns; what they leave is the loop's own bookkeeping. A phase that was not measured is -1.
struct StepReport {
  static constexpr RecordType kType = RecordType::kStepReport;
  Epoch epoch = 0;
  Step step = 0;
  std::int32_t samples = 0;   ///< of this rank in this step
  float loss = kUnknownF;     ///< mean over this rank's samples, before any reduction
  std::int32_t correct = -1;  ///< of `samples`; -1 unknown
  double lr = 0.0;
  float grad_norm = kUnknownF;  ///< L2 norm of the averaged gradient
  float loss_scale = 1.0F;
  std::uint8_t skipped = 0;  ///< 1: the scaler skipped the optimizer step
  std::int64_t data_wait_ns = -1;
  std::int64_t host_to_device_ns = -1;
  std::int64_t forward_ns = -1;       ///< model and loss
  std::int64_t backward_ns = -1;      ///< until this rank's last gradient bucket was ready
  std::int64_t exposed_comm_ns = -1;  ///< from there until every bucket was reduced
  std::int64_t optimizer_ns = -1;
  std::int64_t step_ns = 0;  ///< whole step; it began at Stamp::mono_ns - step_ns

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("epoch", r.epoch);
    visit("step", r.step);
    visit("samples", r.samples);
    visit("loss", r.loss);
    visit("correct", r.correct);
    visit("lr", r.lr);
    visit("grad_norm", r.grad_norm);
    visit("loss_scale", r.loss_scale);
    visit("skipped", r.skipped);
    visit("data_wait_ns", r.data_wait_ns);
    visit("host_to_device_ns", r.host_to_device_ns);
    visit("forward_ns", r.forward_ns);
    visit("backward_ns", r.backward_ns);
    visit("exposed_comm_ns", r.exposed_comm_ns);
    visit("optimizer_ns", r.optimizer_ns);
    visit("step_ns", r.step_ns);
  }
};

/// One gradient bucket of one step of one rank.
struct BucketReport {
  static constexpr RecordType kType = RecordType::kBucketReport;
  Epoch epoch = 0;
  Step step = 0;
  std::int32_t bucket = 0;
  std::int64_t size_bytes = 0;
  std::int64_t ready_ns = 0;    ///< mono_ns when its last gradient was computed here
  std::int64_t reduced_ns = 0;  ///< mono_ns when its all-reduce was done here

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("epoch", r.epoch);
    visit("step", r.step);
    visit("bucket", r.bucket);
    visit("size_bytes", r.size_bytes);
    visit("ready_ns", r.ready_ns);
    visit("reduced_ns", r.reduced_ns);
  }
};

/// One rank's share of one pass over a data set. Sums over ranks give the whole: accuracy is
/// sum(correct) / sum(counted), loss is sum(loss_sum) / sum(counted). Repeated samples are in
/// `padded`, and in `counted` only when the evaluation mode counts them.
struct EpochReport {
  static constexpr RecordType kType = RecordType::kEpochReport;
  Epoch epoch = 0;
  Phase phase = Phase::kTrain;
  double loss_sum = 0.0;  ///< per-sample losses added up
  std::int64_t correct = 0;
  std::int64_t counted = 0;
  std::int64_t padded = 0;
  std::int64_t steps = 0;
  double seconds = 0.0;
  Step last_step = 0;               ///< newest optimizer step when this was measured
  std::int64_t padded_correct = 0;  ///< of `correct`, answers to repeats
  double idle_seconds = 0.0;        ///< of `seconds`, waiting for other ranks to evaluate

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("epoch", r.epoch);
    visit("phase", r.phase);
    visit("loss_sum", r.loss_sum);
    visit("correct", r.correct);
    visit("counted", r.counted);
    visit("padded", r.padded);
    visit("steps", r.steps);
    visit("seconds", r.seconds);
    visit("last_step", r.last_step);
    visit("padded_correct", r.padded_correct);
    visit("idle_seconds", r.idle_seconds);
  }
};

/// The samples a rank drew in an epoch, in order, in pieces of at most kMaxIndices.
/// Complete up to 1 M samples; beyond, every `stride`-th.
struct ShardReport {
  static constexpr RecordType kType = RecordType::kShardReport;
  static constexpr std::size_t kMaxIndices = 16384;
  Epoch epoch = 0;
  std::uint64_t sampler_seed = 0;  ///< the seed that made this order (seed + epoch with set_epoch)
  std::int64_t dataset_size = 0;
  std::int64_t shard_size = 0;  ///< samples this rank draws in the epoch, repeats included
  std::int64_t padded = 0;      ///< of them, repeats at the end
  std::int64_t offset = 0;      ///< position of indices[0] in the shard
  std::int32_t stride = 1;
  std::vector<std::uint32_t> indices;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("epoch", r.epoch);
    visit("sampler_seed", r.sampler_seed);
    visit("dataset_size", r.dataset_size);
    visit("shard_size", r.shard_size);
    visit("padded", r.padded);
    visit("offset", r.offset);
    visit("stride", r.stride);
    visit("indices", r.indices);
  }
};

/// One reading of one accelerator. Bit i of `valid` belongs to the i-th measured field below, in
/// order, from utilisation_pct = bit 0; a field without its bit is not known.
struct DeviceSample {
  static constexpr RecordType kType = RecordType::kDeviceSample;
  std::int32_t device_index = 0;
  std::string device_uuid;
  std::uint32_t valid = 0;
  float utilisation_pct = 0;
  std::int64_t memory_used_bytes = 0;
  std::int64_t memory_total_bytes = 0;
  float temperature_c = 0;
  float power_w = 0;
  float sm_clock_mhz = 0;
  float memory_clock_mhz = 0;
  std::uint64_t throttle_reasons = 0;  ///< NVML's bit mask
  double pcie_rx_bytes_per_s = 0;
  double pcie_tx_bytes_per_s = 0;
  double link_rx_bytes_per_s = 0;
  double link_tx_bytes_per_s = 0;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("device_index", r.device_index);
    visit("device_uuid", r.device_uuid);
    visit("valid", r.valid);
    visit("utilisation_pct", r.utilisation_pct);
    visit("memory_used_bytes", r.memory_used_bytes);
    visit("memory_total_bytes", r.memory_total_bytes);
    visit("temperature_c", r.temperature_c);
    visit("power_w", r.power_w);
    visit("sm_clock_mhz", r.sm_clock_mhz);
    visit("memory_clock_mhz", r.memory_clock_mhz);
    visit("throttle_reasons", r.throttle_reasons);
    visit("pcie_rx_bytes_per_s", r.pcie_rx_bytes_per_s);
    visit("pcie_tx_bytes_per_s", r.pcie_tx_bytes_per_s);
    visit("link_rx_bytes_per_s", r.link_rx_bytes_per_s);
    visit("link_tx_bytes_per_s", r.link_tx_bytes_per_s);
  }
};

/// One reading of a host. -1 (or NaN) = not known.
struct HostSample {
  static constexpr RecordType kType = RecordType::kHostSample;
  float cpu_pct = kUnknownF;  ///< of all cores together, 0 .. 100
  std::int64_t memory_used_bytes = -1;
  std::int64_t memory_total_bytes = -1;
  std::int64_t disk_free_bytes = -1;              ///< where the run folder lies
  std::vector<std::int64_t> rank_resident_bytes;  ///< by local rank; -1 = gone
  std::vector<float> rank_cpu_pct;                ///< by local rank; 100 = one core

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("cpu_pct", r.cpu_pct);
    visit("memory_used_bytes", r.memory_used_bytes);
    visit("memory_total_bytes", r.memory_total_bytes);
    visit("disk_free_bytes", r.disk_free_bytes);
    visit("rank_resident_bytes", r.rank_resident_bytes);
    visit("rank_cpu_pct", r.rank_cpu_pct);
  }
};

/// A change of state of a rank, or with Stamp::rank kNoRank of the run. The last one of the run is
/// how it ended. exit_code and signal are -1 unless the process has ended.
struct RankState {
  static constexpr RecordType kType = RecordType::kRankState;
  State state = State::kQueued;
  std::int32_t attempt = 0;
  Step last_step = -1;
  std::int32_t exit_code = -1;
  std::int32_t signal = -1;
  std::string last_collective;
  std::string text;  ///< one sentence for a person; may be empty
  std::int64_t wall_ns = 0;
  Rank about = kNoRank;  ///< set by the agent when it speaks of a rank; equals Stamp::rank for
                         ///< ranks themselves

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("state", r.state);
    visit("attempt", r.attempt);
    visit("last_step", r.last_step);
    visit("exit_code", r.exit_code);
    visit("signal", r.signal);
    visit("last_collective", r.last_collective);
    visit("text", r.text);
    visit("wall_ns", r.wall_ns);
    visit("about", r.about);
  }
};

/// clock(peer) - clock(this node) and how wrong that may be.
struct ClockSync {
  static constexpr RecordType kType = RecordType::kClockSync;
  Node peer = 0;
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("peer", r.peer);
    visit("offset_ns", r.offset_ns);
    visit("uncertainty_ns", r.uncertainty_ns);
  }
};

struct Checkpoint {
  static constexpr RecordType kType = RecordType::kCheckpoint;
  Epoch epoch = 0;  ///< last completed epoch, or the one it was taken in
  Step step = 0;    ///< steps completed
  std::string path;
  std::int64_t size_bytes = 0;
  double seconds = 0.0;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("epoch", r.epoch);
    visit("step", r.step);
    visit("path", r.path);
    visit("size_bytes", r.size_bytes);
    visit("seconds", r.seconds);
  }
};

struct Notice {
  static constexpr RecordType kType = RecordType::kNotice;
  Severity severity = Severity::kInfo;
  std::string code;  ///< stable name for scripts, e.g. "disk_full"
  std::string text;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("severity", r.severity);
    visit("code", r.code);
    visit("text", r.text);
  }
};

struct Scalar {
  static constexpr RecordType kType = RecordType::kScalar;
  std::string name;
  Step step = 0;
  double value = 0.0;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("name", r.name);
    visit("step", r.step);
    visit("value", r.value);
  }
};

/// Last record of a rank that ends in order: produced = received + dropped, or something was lost
/// on the way.
struct RankGoodbye {
  static constexpr RecordType kType = RecordType::kRankGoodbye;
  std::int64_t produced = 0;     ///< records posted, this one included
  std::int64_t dropped = 0;      ///< of them, never sent because the ring or the queue was full
  std::int64_t post_max_ns = 0;  ///< the longest single post, cost to the training thread
  std::int64_t post_total_ns = 0;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("produced", r.produced);
    visit("dropped", r.dropped);
    visit("post_max_ns", r.post_max_ns);
    visit("post_total_ns", r.post_total_ns);
  }
};

using Record =
    std::variant<RankHello, StepReport, BucketReport, EpochReport, ShardReport, DeviceSample,
                 HostSample, RankState, ClockSync, Checkpoint, Notice, Scalar, RankGoodbye>;

/// Names for people and for JSON and CSV cells; unknown numbers give "unknown".
std::string_view name_of(State state);
std::string_view name_of(Phase phase);
std::string_view name_of(Severity severity);
/// True for the states that end a rank or a run.
bool is_final(State state);

}  // namespace ringside::messages
