// Changes of a run that may make the same work quicker, to be tried one by one: settings, and for a
// script arguments that the injected package sets for it. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

struct Candidate {
  std::string set;         ///< as `--set` takes it, "data.workers=2"; empty: it is an argument
  std::string argument;    ///< "DataLoader.num_workers=2", of a script's own calls
  std::string why;         ///< what it may save
  bool same_loss = false;  ///< each number of the training stays as it is

  const std::string& name() const { return set.empty() ? argument : set; }
};

/// What fits these settings on so many cores. `other_numbers`: those too with which a training
/// computes in another precision or order.
std::vector<Candidate> candidates(const messages::RunSpec& spec, int cores, bool other_numbers);

/// The settings with it. A bad request: a setting that does not go with the others.
Result<messages::RunSpec> with_candidate(messages::RunSpec spec, const Candidate& candidate);

/// How a person keeps it: the option of `ringside run`, or what the script's line has to say.
std::string kept_by(const Candidate& candidate);

}  // namespace ringside::launch
