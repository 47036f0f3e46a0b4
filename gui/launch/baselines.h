// Decides whether an earlier run can be the baseline of a new one, and why. Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gui/launch/machine.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// An earlier run that may serve as the baseline, from the caller's catalogue.
struct EarlierRun {
  std::string id;
  messages::RunSpec spec;
  bool finished = false;
};

/// Looks up the run for baseline.run by what the person typed.
using FindEarlier = std::function<Result<EarlierRun>(const std::string&)>;
/// The newest finished run that satisfies `fits`; nothing if there is none.
using FindEqual =
    std::function<std::optional<EarlierRun>(const std::function<bool(const EarlierRun&)>& fits)>;

/// The baseline to train before `spec`, whose devices are settled: the same work on one device, or
/// with baseline.set the same run with those settings.
messages::RunSpec baseline_of(const messages::RunSpec& spec);

/// The same work as `spec` on this many of its devices; at most as many as it has.
messages::RunSpec on_fewer(const messages::RunSpec& spec, std::int64_t devices);

/// Why `earlier` is not a fair baseline for `spec`; empty: it is one. The work must be the same;
/// devices, names, baselines, checkpoints and limits may differ, and on one device also settings
/// that only matter for several.
std::string not_comparable(const messages::RunSpec& spec, const EarlierRun& earlier);

/// How an earlier run compares with the baseline that would be trained for `spec`.
struct Equality {
  bool equal = false;
  std::string reason;  ///< why it counts as equal, or what prevents that: one sentence
  std::string brief;   ///< short form if equal: "47 settings equal, 1 CPU slot, 1 thread"
};

/// Equal if it finished, did the same work, and ran on the same kind of device with as many
/// threads, so that its time is what training it again would give. `spec`: with settled devices.
Equality equal_baseline(const messages::RunSpec& spec, const EarlierRun& earlier,
                        const Machine& machine);

/// Why `earlier` is not a repeat of `spec`, whose devices are settled; empty: it finished with the
/// same settings on as many devices of the same kind. Names, baselines, limits, the choice of
/// devices, and the naming and number of checkpoints may differ.
std::string not_a_repeat(const messages::RunSpec& spec, const EarlierRun& earlier,
                         const Machine& machine);

}  // namespace ringside::launch
