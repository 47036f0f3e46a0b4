// Random records, from a seed, that no sender of ours would write. Tests only.
#pragma once

#include <bit>
#include <cstdint>
#include <random>

#include "protocol/messages/record_sink.h"
#include "protocol/messages/records.h"

namespace ringside::support {

/// Emits records with numbers of any size, mostly about plausible steps.
class Nonsense {
 public:
  explicit Nonsense(unsigned seed) : random_(seed) {}

  /// Emits some hundred records of five senders on two nodes.
  void play(messages::RecordSink& sink) {
    for (int i = 0; i < 400; ++i) {
      messages::Stamp stamp;
      stamp.rank = static_cast<Rank>(random_() % 5) - 1;
      stamp.mono_ns = random_() % 6 == 0 ? any() : 1'000'000'000 + i * std::int64_t{1'000'000};
      stamp.node = static_cast<Node>(random_() % 2);
      stamp.seq = random_() % 500;
      sink.accept(stamp, random_() % 4 == 0 ? of_machine() : of_run());
    }
  }

 private:
  std::int64_t any() { return static_cast<std::int64_t>(random_()); }
  std::int64_t step() {
    return random_() % 8 == 0 ? any() : static_cast<std::int64_t>(random_() % 60);
  }
  Epoch epoch() {
    return static_cast<Epoch>(random_() % 8 == 0 ? any()
                                                 : static_cast<std::int64_t>(random_() % 4));
  }
  float number() { return std::bit_cast<float>(static_cast<std::uint32_t>(random_())); }
  std::int64_t small() {
    return random_() % 4 == 0 ? any() : static_cast<std::int64_t>(random_() % 100'000'000);
  }

  messages::RankHello hello() {
    messages::RankHello body;
    body.world_size = static_cast<std::int32_t>(random_() % 5);
    body.steps_per_epoch = random_() % 3 == 0 ? any() : 20;
    body.epochs = random_() % 3 == 0 ? any() : 3;
    body.first_step = step();
    body.local_rank = static_cast<std::int32_t>(any());
    body.wall_ns = any();
    return body;
  }

  messages::StepReport step_report() {
    messages::StepReport body;
    body.epoch = epoch();
    body.step = step();
    body.samples = static_cast<std::int32_t>(any());
    body.loss = number();
    body.correct = static_cast<std::int32_t>(any());
    body.lr = static_cast<double>(number());
    body.grad_norm = number();
    body.data_wait_ns = small();
    body.forward_ns = small();
    body.backward_ns = small();
    body.exposed_comm_ns = small();
    body.step_ns = small();
    return body;
  }

  messages::EpochReport epoch_report() {
    messages::EpochReport body;
    body.epoch = epoch();
    body.phase = static_cast<messages::Phase>(random_() % 5);
    body.loss_sum = static_cast<double>(number());
    body.correct = any();
    body.counted = any();
    body.padded = any();
    body.steps = any();
    body.seconds = static_cast<double>(number());
    body.last_step = step();
    body.padded_correct = any();
    return body;
  }

  messages::Record of_run() {
    switch (random_() % 8) {
      case 0:
        return hello();
      case 1:
      case 2:
        return step_report();
      case 3:
        return messages::BucketReport{epoch(), step(),  static_cast<std::int32_t>(random_() % 3),
                                      any(),   small(), small()};
      case 4:
        return epoch_report();
      case 5: {
        messages::RankState body;
        body.state = static_cast<messages::State>(random_() % 14);
        body.about = static_cast<Rank>(random_() % 6) - 1;
        body.signal = static_cast<std::int32_t>(random_() % 70);
        body.wall_ns = any();
        return body;
      }
      case 6:
        return messages::RankGoodbye{any(), any(), any(), any()};
      default:
        return messages::ClockSync{static_cast<Node>(random_() % 2), small(), small()};
    }
  }

  messages::Record of_machine() {
    switch (random_() % 3) {
      case 0: {
        messages::DeviceSample body;
        body.device_uuid = "GPU-5e1c9f0b";
        body.valid = static_cast<std::uint32_t>(random_());
        body.utilisation_pct = number();
        body.memory_used_bytes = any();
        body.memory_total_bytes = small();
        body.temperature_c = number();
        body.power_w = number();
        body.throttle_reasons = random_();
        body.pcie_rx_bytes_per_s = static_cast<double>(number());
        return body;
      }
      case 1: {
        messages::HostSample body;
        body.cpu_pct = number();
        body.memory_used_bytes = any();
        body.memory_total_bytes = small();
        body.disk_free_bytes = any();
        body.rank_resident_bytes = {any(), small()};
        body.rank_cpu_pct = {number()};
        body.cpus = static_cast<std::int32_t>(small());
        body.viewer_cpu_pct = number();
        return body;
      }
      default: {
        messages::ShardReport body;
        body.epoch = epoch();
        body.dataset_size = small();
        body.shard_size = any();
        body.offset = small();
        body.stride = static_cast<std::int32_t>(any());
        body.indices = {1, 2, static_cast<std::uint32_t>(random_())};
        return body;
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace ringside::support
