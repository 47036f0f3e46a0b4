// Makes the plan of a study from its form, as it is shown while somebody types and as it starts.
// Reads files, asks for the machine and, for a start, trains for some seconds; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/session/studies/study_plan.h"
#include "gui/view/scaling/study_form.h"

namespace ringside::session {

/// The place beside the machine as it is now: an allocation may have ended since. False where it is
/// none, or nobody answers.
bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled = {});

/// What the form asks for; read over what a ready-made study asks for. Pure.
Result<void> read_form(const view::StudyForm& form, launch::StudyRequest& request);

/// What a ready-made study asks for, in the fields of the form.
void fill_from_study(view::StudyForm& form);

/// What the form asks for and what is known of it: a plan and lines, or why there is none.
struct FormPlan {
  Result<StudyPlan> plan = failure("not planned");
  std::vector<std::string> lines;
  view::SlurmForm where;  ///< with the place as it is now
};
FormPlan plan_checked(const std::filesystem::path& runs_dir, view::StudyForm form,
                      const launch::Cancelled& cancelled);

/// The plan of a form as it starts: a new study at its recipe's small scale is fitted to this
/// machine. A failure: cancelled.
Result<StudyPlan> fit_form(const std::filesystem::path& runs_dir, const view::StudyForm& form,
                           StudyPlan plan, const launch::Cancelled& cancelled);

}  // namespace ringside::session
