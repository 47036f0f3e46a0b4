#include "tests/support/sample_records.h"

#include "protocol/messages/records.h"

namespace ringside::support {
namespace {

using namespace messages;

RankHello hello() {
  RankHello r;
  r.pid = 4242;
  r.local_rank = 1;
  r.world_size = 2;
  r.attempt = 3;
  r.device_index = 5;
  r.device_uuid = "GPU-1";
  r.device_name = "H";
  r.host = "node";
  r.backend = "gloo";
  r.versions = "v1";
  r.threads = 6;
  r.wall_ns = 7;
  r.parameters = 8;
  r.gradient_bytes = 9;
  r.steps_per_epoch = 10;
  r.epochs = 11;
  r.first_step = 12;
  r.cpus = {0, 13};
  r.loader_workers = 14;
  return r;
}

EpochReport epoch_report() {
  EpochReport r;
  r.epoch = 2;
  r.phase = Phase::kTest;
  r.loss_sum = 1.5;
  r.correct = 7;
  r.counted = 9;
  r.padded = 1;
  r.steps = 3;
  r.seconds = 0.25;
  r.last_step = 30;
  r.padded_correct = 1;
  r.idle_seconds = 0.125;
  return r;
}

ShardReport shard_report() {
  ShardReport r;
  r.epoch = 1;
  r.sampler_seed = 43;
  r.dataset_size = 6;
  r.shard_size = 3;
  r.padded = 0;
  r.offset = 1;
  r.stride = 1;
  r.indices = {5, 1};
  r.replica = 1;
  r.replicas = 2;
  return r;
}

DeviceSample device_sample() {
  DeviceSample r;
  r.device_index = 1;
  r.device_uuid = "G";
  r.valid = 0x3FF;
  r.utilisation_pct = 50;
  r.memory_used_bytes = 1024;
  r.memory_total_bytes = 4096;
  r.temperature_c = 40;
  r.power_w = 300;
  r.sm_clock_mhz = 1500;
  r.memory_clock_mhz = 2000;
  r.throttle_reasons = 4;
  r.pcie_rx_bytes_per_s = 1;
  r.pcie_tx_bytes_per_s = 2;
  r.link_rx_bytes_per_s = 3;
  r.link_tx_bytes_per_s = 4;
  return r;
}

RankState rank_state() {
  RankState r;
  r.state = State::kFailed;
  r.attempt = 1;
  r.last_step = 99;
  r.exit_code = 139;
  r.signal = 11;
  r.last_collective = "all_reduce";
  r.text = "gone";
  r.wall_ns = 77;
  r.about = 2;
  return r;
}

HostSample host_sample() {
  HostSample r;
  r.cpu_pct = 12.5F;
  r.memory_used_bytes = 1;
  r.memory_total_bytes = 2;
  r.disk_free_bytes = 3;
  r.rank_resident_bytes = {4, -1};
  r.rank_cpu_pct = {100.0F};
  r.cpus = 2;
  r.viewer_cpu_pct = 1.5F;
  return r;
}

}  // namespace

StepReport step_report(Step step) {
  StepReport r;
  r.epoch = static_cast<Epoch>(step / 100);
  r.step = step;
  r.samples = 64;
  r.loss = 1.0F / static_cast<float>(step + 1);
  r.correct = 32;
  r.lr = 0.125;
  r.grad_norm = 2.0F;
  r.loss_scale = 1.0F;
  r.skipped = 1;
  r.data_wait_ns = 1;
  r.host_to_device_ns = 2;
  r.forward_ns = 3;
  r.backward_ns = 4;
  r.exposed_comm_ns = 5;
  r.optimizer_ns = 6;
  r.step_ns = 30;
  r.local_grad_norm = 4.0F;
  r.non_finite_buckets = 0;
  return r;
}

std::vector<Record> one_of_each() {
  return {hello(),
          step_report(1),
          BucketReport{1, 2, 3, 4, 5, 6},
          epoch_report(),
          shard_report(),
          device_sample(),
          host_sample(),
          rank_state(),
          ClockSync{1, -2, 3},
          Checkpoint{1, 20, "c/1", 300, 0.5},
          Notice{Severity::kWarning, "disk_full", "no room"},
          Scalar{"loss", 7, -0.5, 1},
          RankGoodbye{100, 2, 3000, 40000},
          DeviceLink{"GPU-a", "GPU-b", "NV4"},
          GroupReport{2, "7", "dp", "mesh_dp", "gloo", {1, 3}, 1},
          CollectiveReport{5, 2, 1, 6, -1, 64, 100, 101, 109, 90, 0}};
}

}  // namespace ringside::support
