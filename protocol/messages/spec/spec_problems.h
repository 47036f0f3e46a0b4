// Lists all problems of a spec at once, for a form that marks them; validate() in run_spec.h only
// reports the first. Pure.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// One problem that makes a run impossible, and the settings involved ("section.key").
struct SpecProblem {
  std::vector<std::string> keys;
  std::string message;
};

/// Numbers out of range and fields that contradict each other, but not the devices or files of this
/// machine. Empty when there is no problem.
std::vector<SpecProblem> problems(const RunSpec& spec);

}  // namespace ringside::messages
