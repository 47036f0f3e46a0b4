// What a probe of some devices measured before a run: all-reduces by size, and how much so many
// copies of a step reach at once that exchange nothing. And what follows for a run on them. Plain
// data and pure functions.
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

/// Where it was measured: other figures hold for other devices.
struct ProbedDevices {
  std::string host;
  std::string backend;            ///< "gloo", "nccl"
  std::vector<std::string> gpus;  ///< UUIDs, ascending; empty: CPU slots
  Rank ranks = 0;
  std::int64_t threads = 0;  ///< of a CPU slot; 0 of a GPU
  bool operator==(const ProbedDevices&) const = default;
};

struct LinkProbe {
  ProbedDevices devices;
  std::string transport;  ///< "TCP", "P2P/CUMEM"; empty: not known
  std::int64_t wall_ns = 0;
  std::vector<TimedExchange> sizes;  ///< ascending
  std::string step;                  ///< what a copy computed: "resnet18, 32 samples, fp32"
  double alone_s = 0;                ///< a step of one copy
  double together_s = 0;             ///< a step while all copies compute, mean over them
  double ceiling =
      0;  ///< limit of the speedup: steps/s of all copies at once / of one; 0: not measured
  double others_cores = -1;  ///< that other processes took meanwhile, mean; -1: not known
  double host_cores = 0;
  bool operator==(const LinkProbe&) const = default;
};

/// Other processes took cores that its copies wanted: on an idle host they may reach more.
bool was_disturbed(const LinkProbe& probe);
/// What other processes took of the host while the ranks of this run were there, whatever they did.
void add_others(const model::RunModel& run, LinkProbe& probe);

/// Whether there is a ceiling that nothing disproves: nothing can beat one. `speedup` was measured
/// on its devices; NaN: none.
inline bool holds(double ceiling, double speedup) { return ceiling > 0 && !(speedup > ceiling); }

/// Time of an all-reduce of so many bytes: linear between the measured sizes, extrapolated beyond
/// the largest. NaN without two sizes.
double exchange_s(const LinkProbe& probe, std::int64_t size_bytes);

/// Time to exchange all gradients of a step: bucket after bucket of 25 MiB, the first of 1 MiB, as
/// in DDP.
double step_exchange_s(const LinkProbe& probe, std::int64_t gradient_bytes);

/// Bandwidth of a ring all-reduce, per rank: 2 (N - 1) / N x bytes / time.
double bus_bytes_per_s(const LinkProbe& probe, const TimedExchange& exchange);

/// The newest that was measured on these devices; null where none was. One with this step is
/// preferred: the ceiling is of a step. Empty: any.
const LinkProbe* newest_probe(std::span<const LinkProbe> probes, const ProbedDevices& devices,
                              const std::string& step = {});

/// The devices on which a run trained; nothing while its ranks have not said so, and for a run of
/// one rank.
std::optional<ProbedDevices> probed_devices(const model::RunModel& run);
/// What a step of it computes, in the words of LinkProbe::step.
std::string step_words(const std::string& model, std::int64_t samples,
                       const std::string& precision);

/// What was expected of a run's exchange beside what it took, per step; NaN where not known.
struct ExpectedExchange {
  std::int64_t gradient_bytes = 0;
  double expected_ns = 0;
  double measured_ns = 0;  ///< exposed + hidden
  double exposed_ns = 0;
  double hidden_ns = 0;  ///< overlapped with the backward pass
};
/// Compares over the newest steps whose buckets are kept.
ExpectedExchange expected_exchange(const LinkProbe& probe, const model::RunModel& run);

}  // namespace ringside::analysis
