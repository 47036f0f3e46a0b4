// Results of probing some devices before a run: all-reduces by size, and the speed of copies of a
// step that run at once without exchange; and what follows for a run on these devices. Plain data
// and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

struct TimedExchange {
  std::int64_t size_bytes = 0;
  double seconds = 0;
  bool operator==(const TimedExchange&) const = default;
};

/// The devices of a probe; figures of other devices differ.
struct ProbedDevices {
  std::string host;
  std::string backend;            ///< "gloo", "nccl"
  std::vector<std::string> gpus;  ///< UUIDs, ascending; empty: CPU slots
  Rank ranks = 0;
  std::int64_t threads = 0;  ///< per CPU slot; 0 for a GPU
  bool operator==(const ProbedDevices&) const = default;
};

struct LinkProbe {
  ProbedDevices devices;
  std::string transport;  ///< "TCP", "P2P/CUMEM"; empty: unknown
  std::int64_t wall_ns = 0;
  std::vector<TimedExchange> sizes;  ///< ascending
  std::string step;                  ///< computed step: "resnet18, 32 samples, fp32"
  double alone_s = 0;                ///< step time of a single copy
  double together_s = 0;             ///< step time while all copies compute, mean over them
  double ceiling =
      0;  ///< limit of the speedup: steps/s of all copies at once / of one; 0: not measured
  double others_cores = -1;  ///< used by other processes meanwhile, mean; -1: unknown
  double host_cores = 0;
  bool operator==(const LinkProbe&) const = default;
};

/// Whether other processes used cores that the copies needed: on an idle host they may be faster.
bool was_disturbed(const LinkProbe& probe);
/// Adds the CPU use of other processes on the host while this run had ranks there.
void add_others(const model::RunModel& run, LinkProbe& probe);

/// Whether there is a ceiling that is not disproved by a higher `speedup`, measured on its devices;
/// NaN: none.
inline bool holds(double ceiling, double speedup) { return ceiling > 0 && !(speedup > ceiling); }

/// Time of an all-reduce of this size: linear between the measured sizes, extrapolated beyond the
/// largest. NaN without two sizes.
double exchange_s(const LinkProbe& probe, std::int64_t size_bytes);

/// Time to exchange all gradients of a step one bucket after another: the first of 1 MiB, the
/// others of 25 MiB, as in DDP.
double step_exchange_s(const LinkProbe& probe, std::int64_t gradient_bytes);

/// Bandwidth of a ring all-reduce, per rank: 2 (N - 1) / N x bytes / time.
double bus_bytes_per_s(const LinkProbe& probe, const TimedExchange& exchange);

/// The newest probe of these devices, preferably of this step, since the ceiling depends on the
/// step (empty: any); null if there is none.
const LinkProbe* newest_probe(std::span<const LinkProbe> probes, const ProbedDevices& devices,
                              const std::string& step = {});

/// The devices on which a run trained; nothing until its ranks have reported them, and for a run on
/// one rank.
std::optional<ProbedDevices> probed_devices(const model::RunModel& run);
/// Description of the run's step, as in LinkProbe::step.
std::string step_words(const std::string& model, std::int64_t samples,
                       const std::string& precision);

/// Expected and measured exchange of a run, per step; NaN if unknown.
struct ExpectedExchange {
  std::int64_t gradient_bytes = 0;
  double expected_ns = 0;
  double measured_ns = 0;  ///< exposed + hidden
  double exposed_ns = 0;
  double hidden_ns = 0;  ///< overlapped with the backward pass
};
/// Compares over the newest steps whose buckets are stored.
ExpectedExchange expected_exchange(const LinkProbe& probe, const model::RunModel& run);

}  // namespace ringside::analysis
