#include "tests/support/demo_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "protocol/messages/records.h"

namespace ringside::support {
namespace {

using namespace ringside::messages;

constexpr double kMs = 1e6;
constexpr int kBuckets = 5;
constexpr std::int64_t kGradientBytes = 94'126'000;
constexpr std::int64_t kTestSamples = 10'000;
constexpr double kAllReduceMs = 3.6;
constexpr double kOptimizerMs = 3.7;
constexpr std::int64_t kRest = 850'000;  // time that is not measured
constexpr std::int64_t kSecond = 1'000'000'000;

/// Pseudo-random number 0 .. 1 that depends only on the arguments.
double noise(std::int64_t a, std::int64_t b, std::int64_t c) {
  auto x = static_cast<std::uint64_t>(a * 1'000'003 + b * 7'919 + c * 104'729 + 17);
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33U;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33U;
  return static_cast<double>(x >> 11U) / 9007199254740992.0;
}

double lr_at(const DemoOptions& options, Epoch epoch) {
  const double base = 0.01 * static_cast<double>(options.ranks);
  return epoch < 20 ? base : epoch < 40 ? base / 10 : base / 100;
}

double loss_at(double epoch) {
  if (epoch < 20) return 0.70 + 1.35 * std::exp(-epoch / 5);
  if (epoch < 40) return 0.36 + 0.14 * std::exp(-(epoch - 20) / 6);
  return 0.265 + 0.05 * std::exp(-(epoch - 40) / 3);
}

std::string uuid_of(const DemoOptions& options, Rank rank) {
  static constexpr const char* kUuids[] = {"GPU-5e1c9f0b", "GPU-d4478a26", "GPU-1a90c3ee",
                                           "GPU-b86f2d71"};
  if (!options.gpus) return "cpu";
  return std::string(kUuids[rank % 4]) + "-0000-0000-0000-" + std::to_string(100000000000 + rank);
}

class Player {
 public:
  Player(const DemoOptions& options, RecordSink& sink)
      : options_(options), sink_(sink), now_(options.start_ns) {}

  void play() {
    run_state(State::kStarting, "");
    if (options_.nodes > 1) sync_clocks();
    attempt(0, 0, options_.steps);
    if (options_.resume_from >= 0) {
      now_ += 20 * kSecond;
      attempt(1, options_.resume_from, options_.resume_to);
    }
    if (options_.killed_rank != kNoRank) {
      fail();
    } else if (options_.finish) {
      finish();
    }
  }

 private:
  Node node_of(Rank rank) const {
    return rank == kNoRank ? 0 : rank * options_.nodes / options_.ranks;
  }
  Rank local_rank(Rank rank) const {
    Rank first = rank;
    while (first > 0 && node_of(first - 1) == node_of(rank)) --first;
    return rank - first;
  }
  /// Every node has its own clock: node k is 5 k seconds ahead.
  std::int64_t clock_of(Rank rank, std::int64_t ns) const {
    return ns + node_of(rank) * 5 * kSecond;
  }

  template <class Body>
  void say(Rank rank, std::int64_t ns, const Body& body) {
    sink_.accept(Stamp{node_of(rank), rank, seq_[rank]++, clock_of(rank, ns)}, Record(body));
  }

  std::int64_t wall() const { return options_.wall_ns + now_ - options_.start_ns; }

  void run_state(State state, std::string text) {
    RankState body;
    body.state = state;
    body.attempt = number_;
    body.text = std::move(text);
    body.wall_ns = wall();
    say(kNoRank, now_, body);
  }

  void rank_states(State state) {
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      RankState body;
      body.state = state;
      body.wall_ns = wall();
      body.about = rank;
      say(rank, now_, body);
    }
  }

  void sync_clocks() {
    synced_ns_ = now_;
    for (Node node = 1; node < options_.nodes; ++node)
      say(kNoRank, now_, ClockSync{node, node * 5 * kSecond, 40'000});
  }

  void hello(Rank rank, std::int32_t attempt, Step first_step) {
    RankHello body;
    body.pid = 4000 + rank;
    body.local_rank = local_rank(rank);
    body.world_size = options_.ranks;
    body.attempt = attempt;
    body.device_index = options_.gpus ? 4 + local_rank(rank) : -1;
    body.device_uuid = uuid_of(options_, rank);
    body.device_name = options_.gpus ? "RTX A6000" : "CPU slot";
    body.host = "node" + std::to_string(node_of(rank));
    body.backend = options_.ranks == 1 ? "solo" : options_.gpus ? "nccl" : "gloo";
    body.versions = options_.gpus ? "torch 2.11.0, NCCL 2.28.9" : "torch 2.11.0";
    body.threads = 4;
    body.wall_ns = wall();
    body.parameters = 23'528'522;
    body.gradient_bytes = kGradientBytes;
    body.steps_per_epoch = options_.steps_per_epoch;
    body.epochs = options_.epochs;
    body.first_step = first_step;
    // The clock of its node and the wall clock are read at the same moment.
    say(rank, now_ + rank * 1000, body);
  }

  /// Adds an NVLink bridge to each pair of GPUs.
  void link_devices() {
    for (Rank a = 0; options_.gpus && a < options_.ranks; ++a) {
      for (Rank b = a + 1; b < options_.ranks && node_of(b) == node_of(a); ++b) {
        const DeviceLink link{uuid_of(options_, a), uuid_of(options_, b),
                              a / 2 == b / 2 ? "NV4" : "NODE"};
        sink_.accept(Stamp{node_of(a), kNoRank, agent_seq(node_of(a)), clock_of(a, now_)},
                     Record(link));
      }
    }
  }

  void attempt(std::int32_t number, Step first, Step end) {
    number_ = number;
    if (number > 0) run_state(State::kStarting, "resumed from a checkpoint");
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      seq_[rank] = 0;
      hello(rank, number, first);
    }
    if (number == 0) link_devices();
    now_ += 4 * kSecond;
    run_state(State::kTraining, "");
    rank_states(State::kTraining);
    for (Step step = first; step < end; ++step) {
      if (options_.nodes > 1 && now_ - synced_ns_ >= kSecond) sync_clocks();
      one_step(step);
      if ((step + 1) % options_.steps_per_epoch == 0)
        end_epoch(static_cast<Epoch>(step / options_.steps_per_epoch), step);
    }
  }

  struct Work {
    std::int64_t data, copy, forward, backward;
    std::int64_t total() const { return data + copy + forward + backward; }
  };
  Work work_of(Step step, Rank rank) const {
    const double scale = options_.compute_ms / 77.2;
    const auto ns = [&](double ms, int what, double spread) {
      return static_cast<std::int64_t>(ms * scale * kMs *
                                       (1 + spread * (noise(step, rank, what) - 0.5)));
    };
    Work work{ns(0.9, 1, 0.2), ns(0.3, 2, 0.1), ns(24.6, 3, 0.01), ns(51.4, 4, 0.02)};
    if (rank == options_.late_rank && options_.ranks > 1 &&
        noise(step, rank, 5) < options_.late_share) {
      work.data +=
          static_cast<std::int64_t>(options_.late_ms * kMs * (0.9 + 0.2 * noise(step, rank, 6)));
    }
    return work;
  }

  void one_step(Step step) {
    std::vector<Work> work;
    std::int64_t slowest = 0;
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      work.push_back(work_of(step, rank));
      slowest = std::max(slowest, work.back().total());
    }
    const auto reduce = options_.ranks > 1 ? static_cast<std::int64_t>(kAllReduceMs * kMs) : 0;
    const auto optimizer = static_cast<std::int64_t>(kOptimizerMs * kMs);
    const std::int64_t begin = now_;
    now_ += slowest + reduce + optimizer + kRest;
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      const Work& own = work[static_cast<std::size_t>(rank)];
      if (options_.buckets && options_.ranks > 1)
        buckets(step, rank, begin, work, begin + slowest + reduce);
      report(step, rank, own, options_.ranks > 1 ? slowest + reduce - own.total() : 0, optimizer,
             now_ - begin);
    }
    if (step % 10 == 0) sample_devices();
  }

  void buckets(Step step, Rank rank, std::int64_t begin, const std::vector<Work>& work,
               std::int64_t reduced) {
    for (std::int32_t bucket = 0; bucket < kBuckets; ++bucket) {
      const auto ready_on = [&](const Work& w) {
        return begin + w.total() - w.backward * (kBuckets - 1 - bucket) / kBuckets;
      };
      std::int64_t all_ready = 0;
      for (const Work& w : work) all_ready = std::max(all_ready, ready_on(w));
      BucketReport body;
      body.epoch = static_cast<Epoch>(step / options_.steps_per_epoch);
      body.step = step;
      body.bucket = bucket;
      body.size_bytes = kGradientBytes / kBuckets;
      body.ready_ns = clock_of(rank, ready_on(work[static_cast<std::size_t>(rank)]));
      body.reduced_ns = clock_of(rank, bucket == kBuckets - 1
                                           ? reduced
                                           : all_ready + static_cast<std::int64_t>(1.65 * kMs));
      say(rank, reduced, body);
    }
  }

  void report(Step step, Rank rank, const Work& work, std::int64_t exposed, std::int64_t optimizer,
              std::int64_t whole) {
    const auto epoch = static_cast<Epoch>(step / options_.steps_per_epoch);
    const double at = static_cast<double>(step) / static_cast<double>(options_.steps_per_epoch);
    StepReport body;
    body.epoch = epoch;
    body.step = step;
    body.samples = static_cast<std::int32_t>(options_.batch);
    const double wobble = 1 + 0.08 * (noise(step, rank, 7) - 0.5);
    body.loss = static_cast<float>(loss_at(at) * wobble);
    body.correct =
        static_cast<std::int32_t>(static_cast<double>(options_.batch) *
                                  std::clamp(0.99 - 0.35 * loss_at(at) * wobble, 0.1, 1.0));
    if (rank == 1 && options_.nan_from >= 0 && step >= options_.nan_from)
      body.loss = std::numeric_limits<float>::quiet_NaN();
    body.lr = lr_at(options_, epoch);
    body.grad_norm = static_cast<float>(1.8 + 0.1 * noise(step, rank, 8));
    body.data_wait_ns = work.data;
    body.host_to_device_ns = work.copy;
    body.forward_ns = work.forward;
    body.backward_ns = work.backward;
    body.exposed_comm_ns = options_.ranks > 1 ? exposed : -1;
    body.optimizer_ns = optimizer;
    body.step_ns = whole;
    if (rank == 0 && options_.lose_every > 0 &&
        step % options_.lose_every == options_.lose_every - 1) {
      ++seq_[rank];
      return;
    }
    say(rank, now_, body);
    if (step % 5 == 4) metrics(step, rank, body);
  }

  void metrics(Step step, Rank rank, const StepReport& about) {
    static constexpr const char* kNames[] = {"images_per_s",    "train/perplexity",
                                             "train/top5",      "optimizer/momentum_norm",
                                             "data/queue_size", "amp/loss_scale"};
    for (int i = 0; i < options_.metrics; ++i) {
      const double at = noise(step, rank, 100 + i);
      const double loss = static_cast<double>(about.loss);
      const double values[] = {1397 + 40 * (at - 0.5),      std::exp(loss) * (0.97 + 0.06 * at),
                               1 - 0.2 * loss + 0.01 * at,  0.02 * loss + 0.002 * at,
                               std::floor(2 + 4 * at * at), step < 2000 ? 65'536.0 : 131'072.0};
      const std::string name =
          i < 6 ? kNames[i] : "layer_" + std::to_string(i - 6) + "/weight_norm";
      say(rank, now_, Scalar{name, step, i < 6 ? values[i] : 10 + i + loss + 0.1 * at});
    }
  }

  void sample_devices() {
    if (!options_.gpus) return;
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      DeviceSample body;
      body.device_index = 4 + local_rank(rank);
      body.device_uuid = uuid_of(options_, rank);
      body.valid = 0x3fU;
      body.utilisation_pct = rank == options_.late_rank ? 90 : static_cast<float>(95 + rank % 3);
      body.memory_used_bytes = static_cast<std::int64_t>(12.4 * 1024 * 1024 * 1024);
      body.memory_total_bytes = std::int64_t{48} << 30;
      body.temperature_c = static_cast<float>(68 + rank % 4 * 2);
      body.power_w = static_cast<float>(254 + rank % 4 * 6);
      body.sm_clock_mhz = 1800;
      sink_.accept(Stamp{node_of(rank), kNoRank, agent_seq(node_of(rank)), clock_of(rank, now_)},
                   Record(body));
    }
    HostSample host;
    host.cpu_pct = 45;
    host.memory_used_bytes = std::int64_t{62} << 30;
    host.memory_total_bytes = std::int64_t{256} << 30;
    host.disk_free_bytes = std::int64_t{412} << 30;
    host.rank_resident_bytes.assign(static_cast<std::size_t>(options_.ranks),
                                    std::int64_t{3} << 30);
    say(kNoRank, now_, host);
  }

  std::uint64_t agent_seq(Node node) { return node == 0 ? seq_[kNoRank]++ : node_seq_[node]++; }

  void end_epoch(Epoch epoch, Step step) {
    const double at = static_cast<double>(epoch + 1);
    const std::int64_t counted = options_.batch * options_.steps_per_epoch;
    const double train_seconds = static_cast<double>(options_.steps_per_epoch) * 0.0916;
    pass(Phase::kTrain, epoch, step, counted, loss_at(at),
         std::clamp(0.99 - 0.35 * loss_at(at), 0.1, 1.0), train_seconds);
    rank_states(State::kEvaluating);
    now_ += static_cast<std::int64_t>(2.32e9) / options_.ranks;
    const double reached = options_.accuracy - (epoch < 20 ? 0.11 : 0.0075) *
                                                   std::exp(-static_cast<double>(epoch % 20) / 6);
    pass(Phase::kValidate, epoch, step, kTestSamples / options_.ranks, 1.05, reached,
         2.32 / options_.ranks);
    now_ += 310'000'000;
    Checkpoint saved;
    saved.epoch = epoch;
    saved.step = step + 1;
    saved.path = "checkpoints/epoch_" + std::to_string(epoch + 1) + ".pt";
    saved.size_bytes = 188'500'000;
    saved.seconds = 0.31;
    say(0, now_, saved);
    rank_states(State::kTraining);
  }

  void pass(Phase phase, Epoch epoch, Step step, std::int64_t counted, double loss, double accuracy,
            double seconds) {
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      EpochReport body;
      body.epoch = epoch;
      body.phase = phase;
      body.counted = counted;
      // Integers that add up to the run's own count.
      const auto right = static_cast<std::int64_t>(
          std::llround(static_cast<double>(counted * options_.ranks) * accuracy));
      body.correct = right * (rank + 1) / options_.ranks - right * rank / options_.ranks;
      body.loss_sum = loss * static_cast<double>(counted);
      body.steps = options_.steps_per_epoch;
      body.seconds = seconds;
      body.last_step = step;
      say(rank, now_, body);
    }
  }

  void fail() {
    RankState dead;
    dead.state = State::kFailed;
    dead.signal = 9;
    dead.about = options_.killed_rank;
    dead.last_step = options_.steps - 1;
    dead.text = "likely host memory, 62.8 of 64.0 GiB used";
    now_ += kSecond;
    say(kNoRank, now_, dead);
    run_state(State::kFailed,
              "rank " + std::to_string(options_.killed_rank) + " was killed (SIGKILL)");
  }

  void finish() {
    for (Rank rank = 0; rank < options_.ranks; ++rank) {
      RankState done;
      done.state = State::kFinished;
      done.about = rank;
      say(rank, now_, done);
      RankGoodbye goodbye;
      goodbye.produced = static_cast<std::int64_t>(seq_[rank]) + 1;
      goodbye.post_total_ns = 900'000;
      goodbye.post_max_ns = 4'000;
      say(rank, now_, goodbye);
    }
    run_state(State::kFinished, "");
  }

  const DemoOptions& options_;
  RecordSink& sink_;
  std::int64_t synced_ns_ = 0;
  std::int64_t now_;
  std::map<Rank, std::uint64_t> seq_;
  std::map<Node, std::uint64_t> node_seq_;
  std::int32_t number_ = 0;  // number of the attempt
};

}  // namespace

DemoOptions demo_run() { return {}; }

DemoOptions demo_baseline() {
  DemoOptions options;
  options.ranks = 1;
  options.steps_per_epoch = 391;
  options.steps = 60 * 391;
  options.late_rank = kNoRank;
  options.compute_ms = 74.75;
  options.finish = true;
  options.accuracy = 0.7618;
  return options;
}

DemoOptions demo_small(Rank ranks) {
  DemoOptions options;
  options.ranks = ranks;
  options.steps_per_epoch = 40;
  options.epochs = 3;
  options.steps = 120;
  options.finish = true;
  return options;
}

RunSpec demo_spec(const DemoOptions& options) {
  RunSpec spec;
  spec.name = "resnet50 · cifar10 · " + std::to_string(options.ranks) +
              (options.ranks == 1 ? " GPU" : " GPUs");
  if (!options.gpus)
    spec.name = "resnet50 · cifar10 · " + std::to_string(options.ranks) + " CPU ranks";
  spec.devices.kind = options.gpus ? "cuda" : "cpu";
  spec.devices.world_size = options.ranks;
  spec.model.name = "resnet50";
  spec.data.name = "cifar10";
  spec.batch.size = options.batch;
  spec.batch.meaning = "per_rank";
  spec.train.epochs = options.epochs;
  spec.optimizer.lr = 0.01 * static_cast<double>(options.ranks);
  spec.schedule.name = "step";
  spec.schedule.step_epochs = 20;
  return spec;
}

void play_demo(const DemoOptions& options, RecordSink& sink) { Player(options, sink).play(); }

}  // namespace ringside::support
