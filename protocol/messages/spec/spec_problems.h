// All that is wrong with a spec at once, for a form that marks it; for a plain yes or no see
// validate() in run_spec.h. Pure.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// Something that no run can be made of, and the settings that take part in it ("section.key").
struct SpecProblem {
  std::vector<std::string> keys;
  std::string message;
};

/// Numbers out of range and fields that contradict each other (not: devices or files of this
/// machine). Empty: there is none.
std::vector<SpecProblem> problems(const RunSpec& spec);

}  // namespace ringside::messages
