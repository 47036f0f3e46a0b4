// Changes of a run that may make the same work quicker, to be tried one by one, those of the
// largest part of its step first: settings, and for a script what the injected package sets in its
// own calls. Pure; any thread.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// The part of a step that a change may shorten.
enum class StepPart : std::uint8_t { kData, kExchange, kComputing };

/// What a run of the recipe as it is has shown; nothing of it is known to begin with.
struct Shown {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::array<double, 3> shares{kNone, kNone, kNone};  ///< of a step, by StepPart
  std::int64_t buckets = 0;    ///< all-reduces of one exchange of the gradients; 0: not known
  std::int64_t exchanges = 0;  ///< of the gradients, in one step; 0: not known
  std::int64_t threads = 0;    ///< of a rank; 0: not known
};

struct Candidate {
  std::string set;         ///< as `--set` takes it, "data.workers=2"; empty: it is an argument
  std::string argument;    ///< "DataLoader.num_workers=2", of a script's own calls
  std::string why;         ///< what it may save
  bool same_loss = false;  ///< each number of the training stays as it is
  StepPart part = StepPart::kComputing;
  double most = Shown::kNone;  ///< that it can save, as a share of a step; NaN: not known

  const std::string& name() const { return set.empty() ? argument : set; }
  /// Less than is looked for: not worth a trial.
  bool is_idle() const { return most < 0.01; }
};

/// What fits these settings on so many cores, what can save most first. `other_numbers`: those too
/// with which a training computes in another precision or order.
std::vector<Candidate> candidates(const messages::RunSpec& spec, int cores, bool other_numbers,
                                  const Shown& shown = {});

/// The settings with it. A bad request: a setting that does not go with the others.
Result<messages::RunSpec> with_candidate(messages::RunSpec spec, const Candidate& candidate);

/// The settings of a short run of so many steps, which tells how long they take: without
/// evaluation and checkpoints. A script without the package in it stays as it is.
messages::RunSpec cut_short(messages::RunSpec spec, std::int64_t steps);

/// How a person keeps it: the option of `ringside run`, or what the script's line has to say.
std::string kept_by(const Candidate& candidate);

}  // namespace ringside::launch
