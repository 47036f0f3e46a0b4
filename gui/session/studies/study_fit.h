// Fits a quick study to this machine before it starts: one size for all its runs, without settings
// that would take too long. Trains for some seconds; any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/study_plan.h"

namespace ringside::session {

struct StudyFitRequest {
  // Choices of a person, which therefore do not change:
  bool chosen_size = false;      ///< the size of the runs
  bool chosen_settings = false;  ///< the numbers of devices and variants
  std::function<void()> probing{};
  launch::Cancelled cancelled{};
};

/// Fits `plan`, which was made of `recipe` at its quick scale; messages about the result are in the
/// returned plan. Returns it unchanged if nothing can be probed. Fails only if cancelled.
Result<StudyPlan> fit_study(const std::filesystem::path& runs_dir, const StudyPlanRequest& recipe,
                            StudyPlan plan, const launch::Machine& machine,
                            const StudyFitRequest& plan_request);

/// The request without the settings of these keys ("weak-4", "bf16-4"). Pure.
launch::StudyRequest without_settings(launch::StudyRequest request,
                                      std::span<const std::string> keys);

}  // namespace ringside::session
