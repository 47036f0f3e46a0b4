// Whether a speedup is fair, as it stands beside it on every page and in every file. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/detectors.h"
#include "gui/view/words.h"

namespace ringside::view {

struct Verdict {
  std::string text;          ///< the gravest reason against it, else that it is fair; one sentence
  std::string more;          ///< the other reasons
  Tone tone = Tone::kDim;    ///< a warning where it is unfair; dim where nobody can tell
  std::optional<bool> fair;  ///< nothing where nobody can tell
  std::vector<analysis::Finding> reasons;
  bool unfair() const { return fair == false; }
};
Verdict fairness_verdict(const model::RunModel& run, const model::RunModel& baseline);

}  // namespace ringside::view
