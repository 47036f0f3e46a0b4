// Fits the quick form of a study to this machine before it starts: the same size for all its runs,
// and without those that would take too long by themselves. Trains for some seconds; any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "gui/session/studies/study_plan.h"
#include "gui/session/studies/study_wish.h"

namespace ringside::session {

struct StudyFitWish {
  // What a person has said and therefore stays:
  bool chosen_size = false;      ///< how much is trained
  bool chosen_settings = false;  ///< which numbers of devices and variants are measured
  std::function<void()> probing{};
  launch::Cancelled cancelled{};
};

/// `plan` is one of `recipe` at its quick scale. Lines of what was found are in the plan. Where
/// nothing can be probed it is as it was. A failure: cancelled.
Result<StudyPlan> fit_study(const std::filesystem::path& runs_dir, const StudyWish& recipe,
                            StudyPlan plan, const launch::Machine& machine,
                            const StudyFitWish& wish);

/// The request without the settings of these keys ("weak-4", "bf16-4"). Pure.
launch::StudyRequest without_settings(launch::StudyRequest request,
                                      std::span<const std::string> keys);

}  // namespace ringside::session
