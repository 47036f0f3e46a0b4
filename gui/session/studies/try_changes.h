// Tries changes of a recipe one after another, each in a study of pairs. A run of the unchanged
// recipe shows where its steps spend their time; the change that can save most is tried first, and
// one that is certainly faster is kept while the next ones are tried. Runs are short and stay
// within the budget. Reads and writes files, starts agents; one thread, blocks as long as runs
// train.
#pragma once

#include <functional>
#include <string>

#include "gui/session/studies/pair_study.h"
#include "gui/view/scaling/tries.h"

namespace ringside::session {

struct TryRequest {
  StudyPlanRequest recipe;  ///< unchanged
  std::string as_it_is;     ///< a finished run of it; empty: train one first
  double budget_s = 600;
  bool other_numbers = false;  ///< also changes of precision or order
};

/// Measurements of a run of the unchanged recipe.
struct AsItIs {
  std::string label;      ///< "#12"
  launch::Shown shown;    ///< unknown if it reports no steps
  double run_s = 0;       ///< start-up included
  double step_s = 0;      ///< 0: not known
  double start_up_s = 0;  ///< all time outside of steps
  std::int64_t steps = 0;
};
/// Bad request: the run does not exist or has not finished.
Result<AsItIs> look_at_run(const std::filesystem::path& runs_dir, const std::string& id);

/// Returns the settings with all changes that were kept, also if the recipe fails later, which
/// Tries::failed says. `told` receives the results so far after each step, and finally when no more
/// changes are tried.
Result<messages::RunSpec> try_changes(const StudyWork& work, const TryRequest& request,
                                      const std::function<void(const view::Tries&)>& told);

}  // namespace ringside::session
