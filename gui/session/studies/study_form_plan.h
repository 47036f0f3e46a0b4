// Plans a study from its form, while a person types and when it starts. Reads files, queries the
// machine and, for a start, trains for some seconds; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/session/studies/study_plan.h"
#include "gui/view/scaling/study_form.h"

namespace ringside::session {

/// Updates the state of the form's place, since an allocation may have ended. Returns false if the
/// form has none, or it does not respond.
bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled = {});

/// Applies the form to a request that may come from a ready-made study. Pure.
Result<void> read_form(const view::StudyForm& form, launch::StudyRequest& request);

void fill_from_study(view::StudyForm& form);

/// The request of a form and its result: a plan with messages, or why there is none.
struct FormPlan {
  Result<StudyPlan> plan = failure("not planned");
  std::vector<std::string> lines;
  view::SlurmForm where;  ///< with the current state of the place
};
FormPlan plan_checked(const std::filesystem::path& runs_dir, view::StudyForm form,
                      const launch::Cancelled& cancelled);

/// Plans a form for its start: a new study at its preset's quick scale is fitted to this machine.
/// Fails only if cancelled.
Result<StudyPlan> fit_form(const std::filesystem::path& runs_dir, const view::StudyForm& form,
                           StudyPlan plan, const launch::Cancelled& cancelled);

}  // namespace ringside::session
