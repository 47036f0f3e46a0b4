// Turns what a person names, a preset or a ready-made study, into what a study is made of; and a
// plan into words, as it is shown before anything starts. Reads files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/combinations/combinations.h"
#include "gui/launch/preflight/preflight.h"
#include "gui/session/studies/study_plan.h"

namespace ringside::session {

/// `title`: empty: made from what is named. A bad request names the nearest preset or study.
Result<StudyWish> read_wish(const std::string& what, bool quick,
                            const std::vector<std::string>& sets, const std::string& title = {});

/// The recipe for a custom program, whose settings these are.
Result<StudyWish> script_wish(messages::RunSpec settings, const std::vector<std::string>& sets,
                              const std::string& title);

/// Makes it one of two settings, of which it is the first. A bad request: other numbers of ranks.
Result<void> make_two(StudyWish& recipe, messages::RunSpec second, launch::Combination of_first,
                      launch::Combination of_second);

/// A run, as it was. A bad request: one that is not there, or whose program is another by now.
Result<StudyWish> wish_of_run(const std::filesystem::path& runs_dir, const std::string& text);

/// Makes it a study of the combinations of these values, or of some that are drawn. A bad request:
/// the recipe is a study of numbers of devices, or the values do not fit it.
Result<void> add_combinations(StudyWish& recipe, const std::vector<launch::Swept>& swept,
                              const std::optional<launch::Draw>& draw, std::int64_t repeats);

/// Two runs, as they were. A bad request: one that is not there, or whose program is another by
/// now.
Result<StudyWish> wish_of_runs(const std::filesystem::path& runs_dir, const std::string& first,
                               const std::string& second, const std::string& title);

/// The same in this place. A bad request: what that cannot have, a number of devices that does not
/// fill its nodes.
Result<StudyWish> in_place(StudyWish recipe, const place::Place& where);

/// The preflight of the runs to train.
std::vector<launch::Check> checks_of(const StudyPlan& plan, const launch::Machine& machine,
                                     const std::filesystem::path& runs_dir);
/// What it finds: its warnings, or its first failure.
Result<std::vector<std::string>> check_plan(const StudyPlan& plan, const launch::Machine& machine,
                                            const std::filesystem::path& runs_dir);

/// One sentence each: how much is trained, how long that takes and what Slurm gets of it, what
/// differs between points beyond what must, what is there already, warnings.
std::vector<std::string> plan_lines(const StudyPlan& plan, const std::filesystem::path& runs_dir);

}  // namespace ringside::session
