// Tries changes of a recipe one after another, each in a study of pairs: a run of it as it is says
// where its steps spend their time, what can save most comes first, and what is certainly quicker
// is kept for those behind it. Short runs, and never more than the budget. Reads and writes files,
// starts agents; one thread, blocks as long as runs train.
#pragma once

#include <functional>
#include <string>

#include "gui/session/studies/pair_study.h"
#include "gui/view/scaling/tries.h"

namespace ringside::session {

struct TryWish {
  StudyWish recipe;      ///< as it is
  std::string as_it_is;  ///< id of a run of it that has ended; empty: one is trained first
  double budget_s = 600;
  bool other_numbers = false;  ///< changes too with which it computes in another precision or order
};

/// What a run of the recipe says before anything is tried.
struct AsItIs {
  std::string label;      ///< "#12"
  launch::Shown shown;    ///< nothing, where it tells no steps
  double run_s = 0;       ///< with its start-up
  double step_s = 0;      ///< 0: not known
  double start_up_s = 0;  ///< and what else is no step
  std::int64_t steps = 0;
};
/// A bad request: there is no such run, or it has not finished.
Result<AsItIs> look_at_run(const std::filesystem::path& runs_dir, const std::string& id);

/// The settings with all that is kept. `told` gets what has come of them so far, again and again;
/// the last time when nothing more is tried.
Result<messages::RunSpec> try_changes(const PairWork& work, const TryWish& wish,
                                      const std::function<void(const view::Tries&)>& told);

}  // namespace ringside::session
