// Changes to a run's settings that may make the same work faster, to be tried one by one. Those
// that affect the largest part of the step come first. For a script with PyTorch they also include
// arguments that the injected package overrides in the script's own calls; any other program can
// only be changed from outside. Pure; any thread.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/machine.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// The part of a step that a change may shorten.
enum class StepPart : std::uint8_t { kData, kExchange, kComputing };

/// Measurements of a run of the unchanged recipe; all are unknown at first.
struct Shown {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::array<double, 3> shares{kNone, kNone, kNone};  ///< shares of a step, by StepPart
  std::int64_t buckets = 0;          ///< all-reduces per reduction of the gradients; 0: unknown
  double bucket_bytes = kNone;       ///< mean size of a bucket
  std::int64_t exchanges = 0;        ///< reductions of the gradients per step; 0: unknown
  std::int64_t threads = 0;          ///< threads per rank; 0: unknown
  std::int64_t workers = 0;          ///< processes that load batches; 0 or less: none is known
  std::int64_t epoch_steps = 0;      ///< steps per epoch; 0: unknown
  double first_waits = kNone;        ///< share of the data waits in the first steps of epochs
  std::string backend;               ///< "gloo", "nccl"; empty: unknown
  std::vector<std::string> notices;  ///< codes of what its ranks reported
  std::optional<bool> torch;         ///< whether its ranks report PyTorch; nothing: unknown
};

struct Candidate {
  std::string set;         ///< as `--set` takes it, "data.workers=2"; empty: `argument` is set
  std::string argument;    ///< "DataLoader.num_workers=2", of a script's own calls
  std::string why;         ///< what it may save
  bool same_loss = false;  ///< losses stay bitwise equal
  StepPart part = StepPart::kComputing;
  bool shown = false;  ///< the run or its settings show the mistake that the change mends
  /// Whether it computes in another precision or order: a person has to decide, so it is never
  /// kept.
  bool alters_numbers = false;
  std::string variable{};      ///< "NCCL_P2P_LEVEL=SYS", of the environment of a program
  double most = Shown::kNone;  ///< the largest saving, as a share of a step; NaN: unknown

  const std::string& name() const {
    return !variable.empty() ? variable : set.empty() ? argument : set;
  }
  /// The share is too small to be worth a trial.
  bool is_idle() const { return most < 0.01; }
};

/// Why nothing inside of the program can be changed; empty: it is our trainer, or a script with
/// PyTorch.
std::string only_outside(const messages::RunSpec& spec, const Shown& shown);

/// Returns the changes that fit these settings on this machine, the largest possible saving first;
/// before these, what mends a mistake that the run itself shows. `other_numbers` adds changes that
/// alter the numbers, at the end.
std::vector<Candidate> candidates(const messages::RunSpec& spec, const Machine& machine,
                                  bool other_numbers, const Shown& shown = {});

/// Returns why a change has no effect with these settings, which may have other changes; empty: it
/// may have one.
std::string what_it_lacks(const Candidate& candidate, const messages::RunSpec& spec,
                          const Shown& shown);

/// Returns the settings with the change applied. Bad request: the changed settings are
/// inconsistent.
Result<messages::RunSpec> with_candidate(messages::RunSpec spec, const Candidate& candidate);

/// Returns the settings of a run of this many steps, without evaluation and checkpoints, which
/// measures the step time. A script without the injected package is unchanged.
messages::RunSpec cut_short(messages::RunSpec spec, std::int64_t steps);

/// Tells a person how to keep the change: an option of `ringside run`, or a line of the script.
std::string kept_by(const Candidate& candidate);

}  // namespace ringside::launch
