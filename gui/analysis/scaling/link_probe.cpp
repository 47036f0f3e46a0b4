#include "gui/analysis/scaling/link_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gui/analysis/step_parts.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

constexpr double kUnknownNs = std::numeric_limits<double>::quiet_NaN();
// Bucket sizes of DDP (c10d::kDefaultFirstBucketBytes, bucket_cap_mb) and of our trainer.
constexpr std::int64_t kBucket_bytes = std::int64_t{25} << 20;
constexpr std::int64_t kFirstBucket_bytes = std::int64_t{1} << 20;

/// Mean of the readings; nothing if there are none.
std::optional<double> mean_of(const model::SampleHistory& history) {
  double sum = 0;
  std::size_t count = 0;
  for (const model::Sample& sample : history.samples()) {
    if (!(sample.value >= 0)) continue;
    sum += static_cast<double>(sample.value);
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

}  // namespace

bool was_disturbed(const LinkProbe& probe) {
  constexpr double kLeastOthers = 0.2;  // the agent and the kernel use less
  const auto wanted =
      static_cast<double>(probe.devices.ranks * std::max<std::int64_t>(1, probe.devices.threads));
  return probe.others_cores >= kLeastOthers && probe.others_cores + wanted > probe.host_cores;
}

void add_others(const model::RunModel& run, LinkProbe& probe) {
  for (const auto& [node, host] : run.hosts()) {
    const auto busy = mean_of(host.cpu);
    if (!busy || host.latest.cpus < 1 || host.rank_cpu.empty()) continue;
    const double cores = host.latest.cpus;
    double others = *busy / 100 * cores - mean_of(host.viewer_cpu).value_or(0) / 100;
    for (const auto& rank : host.rank_cpu) others -= mean_of(rank).value_or(0) / 100;
    others = std::max(0.0, others);
    if (others <= probe.others_cores) continue;
    probe.others_cores = others;
    probe.host_cores = cores;
  }
}

double exchange_s(const LinkProbe& probe, std::int64_t size_bytes) {
  const auto& sizes = probe.sizes;
  if (sizes.size() < 2) return kUnknownNs;
  auto upper = std::find_if(sizes.begin() + 1, sizes.end() - 1,
                            [size_bytes](const auto& one) { return one.size_bytes >= size_bytes; });
  const TimedExchange& low = *(upper - 1);
  if (size_bytes <= low.size_bytes) return low.seconds;
  const auto part = static_cast<double>(size_bytes - low.size_bytes) /
                    static_cast<double>(upper->size_bytes - low.size_bytes);
  return low.seconds + part * (upper->seconds - low.seconds);
}

double step_exchange_s(const LinkProbe& probe, std::int64_t gradient_bytes) {
  double seconds = gradient_bytes > 0 ? 0 : kUnknownNs;
  std::int64_t bucket = kFirstBucket_bytes;
  for (std::int64_t left = gradient_bytes; left > 0; left -= bucket, bucket = kBucket_bytes) {
    bucket = std::min(bucket, left);
    seconds += exchange_s(probe, bucket);
  }
  return seconds;
}

double bus_bytes_per_s(const LinkProbe& probe, const TimedExchange& exchange) {
  const double ranks = probe.devices.ranks;
  return 2 * (ranks - 1) / ranks * static_cast<double>(exchange.size_bytes) / exchange.seconds;
}

const LinkProbe* newest_probe(std::span<const LinkProbe> probes, const ProbedDevices& devices,
                              const std::string& step) {
  const LinkProbe* newest = nullptr;
  for (const LinkProbe& probe : probes) {
    if (probe.devices != devices) continue;
    const bool better =
        newest == nullptr || (probe.step == step) > (newest->step == step) ||
        ((probe.step == step) == (newest->step == step) && probe.wall_ns > newest->wall_ns);
    if (better) newest = &probe;
  }
  return newest;
}

std::optional<ProbedDevices> probed_devices(const model::RunModel& run) {
  if (run.world_size() < 2) return std::nullopt;
  ProbedDevices devices;
  devices.ranks = run.world_size();
  for (Rank rank = 0; rank < run.world_size(); ++rank) {
    const model::RankModel* known = run.rank(rank);
    if (known == nullptr || !known->hello) return std::nullopt;
    const auto& hello = *known->hello;
    if (rank > 0 && hello.host != devices.host) return std::nullopt;  // several hosts
    devices.host = hello.host;
    devices.backend = hello.backend;
    if (hello.device_index < 0) {
      devices.threads = hello.threads;
    } else {
      devices.gpus.push_back(hello.device_uuid);
    }
  }
  std::sort(devices.gpus.begin(), devices.gpus.end());
  return devices;
}

std::string step_words(const std::string& model, std::int64_t samples,
                       const std::string& precision) {
  return fmt::format("{}, {} {}, {}", model, samples, samples == 1 ? "sample" : "samples",
                     precision);
}

ExpectedExchange expected_exchange(const LinkProbe& probe, const model::RunModel& run) {
  ExpectedExchange exchange{0, kUnknownNs, kUnknownNs, kUnknownNs, kUnknownNs};
  const Transfer newest = transfer(run, {0, static_cast<Step>(run.steps_end())});
  exchange.gradient_bytes = newest.size_bytes;
  if (newest.steps == 0) {
    const model::RankModel* first = run.rank(0);
    if (first != nullptr && first->hello) exchange.gradient_bytes = first->hello->gradient_bytes;
  } else {
    exchange.measured_ns = newest.transfer_ns;
    exchange.exposed_ns = newest.exposed_ns;
    exchange.hidden_ns = newest.hidden_ns;
  }
  if (exchange.gradient_bytes > 0)
    exchange.expected_ns = step_exchange_s(probe, exchange.gradient_bytes) * 1e9;
  return exchange;
}

}  // namespace ringside::analysis
