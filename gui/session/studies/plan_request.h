// Makes the recipe of a study from a name that a person gives, a preset or a ready-made study; and
// describes a plan in sentences before it starts. Reads files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "gui/launch/studies/combinations.h"
#include "gui/session/studies/study_plan.h"

namespace ringside::session {

/// `title` empty: made from the name. A bad request suggests the nearest preset or study.
Result<StudyPlanRequest> read_plan_request(const std::string& what, bool quick,
                                           const std::vector<std::string>& sets,
                                           const std::string& title = {});

/// Returns the recipe for a custom program with these settings.
Result<StudyPlanRequest> script_plan_request(messages::RunSpec settings,
                                             const std::vector<std::string>& sets,
                                             const std::string& title);

/// Makes the recipe a comparison of two settings, its own first. Bad request: numbers of ranks
/// differ.
Result<void> make_two(StudyPlanRequest& recipe, messages::RunSpec second,
                      launch::Combination of_first, launch::Combination of_second);

/// Returns the recipe of a run. Bad request: the run is missing, or its program has changed since.
Result<StudyPlanRequest> plan_request_of_run(const std::filesystem::path& runs_dir,
                                             const std::string& text);

/// Makes the recipe a study of all combinations of these values, or of randomly drawn ones. Bad
/// request: the recipe is a study of numbers of devices, or the values do not fit it.
Result<void> add_combinations(StudyPlanRequest& recipe, const std::vector<launch::Swept>& swept,
                              const std::optional<launch::Draw>& draw, std::int64_t repeats);

/// Returns the recipe of two runs. Bad request: a run is missing, or its program has changed since.
Result<StudyPlanRequest> plan_request_of_runs(const std::filesystem::path& runs_dir,
                                              const std::string& first, const std::string& second,
                                              const std::string& title);

/// Adapts the recipe to this place. Bad request: the place does not support it, such as a number of
/// devices that does not fill its nodes.
Result<StudyPlanRequest> in_place(StudyPlanRequest recipe, const place::Place& where);

std::vector<launch::Check> checks_of(const StudyPlan& plan, const launch::Machine& machine,
                                     const std::filesystem::path& runs_dir);
/// Returns the warnings of the preflight, or its first failure as an error.
Result<std::vector<std::string>> check_plan(const StudyPlan& plan, const launch::Machine& machine,
                                            const std::filesystem::path& runs_dir);

/// Returns one sentence each: how much is trained, how long that takes, what Slurm is asked for,
/// unintended differences between points, existing runs, and warnings.
std::vector<std::string> plan_lines(const StudyPlan& plan, const std::filesystem::path& runs_dir);

}  // namespace ringside::session
