// Whether a speedup is fair, in the words shown beside it on every page and in every file. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/findings/detectors.h"
#include "gui/view/words.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kNotFair = "Not fair";
}  // namespace label

struct Verdict {
  std::string text;          ///< the gravest reason against it, or that it is fair; one sentence
  std::string more;          ///< the other reasons
  Tone tone = Tone::kDim;    ///< a warning if it is unfair; dim if unknown
  std::optional<bool> fair;  ///< nothing if unknown
  std::vector<analysis::Finding> reasons;
  bool unfair() const { return fair == false; }
  /// "Not fair: Other processes took ...", or the text alone.
  std::string told() const {
    return (unfair() ? label::kNotFair + std::string(": ") : std::string()) + text;
  }
};
Verdict fairness_verdict(const model::RunModel& run, const model::RunModel& baseline);

}  // namespace ringside::view
