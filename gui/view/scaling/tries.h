// Changes that are tried to make the same work quicker: which changes a run of the unchanged recipe
// suggests, the result of each change so far, and both as tables. Used by terminal, JSON and
// window. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/studies/candidates.h"
#include "gui/model/run_model_fwd.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Labels of the sheet; the part after ## makes ids unique and is not drawn.
namespace label {
inline constexpr const char* kTry = "Try for me";
inline constexpr const char* kStartTries = "Try##tries";
inline constexpr const char* kStopTries = "Stop##tries";
inline constexpr const char* kLaunchTried = "Launch with it";
inline constexpr const char* kOtherNumbers = "Other numbers too";
inline constexpr const char* kCopyTries = "Copy##tries";
inline constexpr const char* kCloseTries = "Close##tries";
}  // namespace label

/// A change that saves less than this share is not kept, however certain it is.
inline constexpr double kWorthKeeping = 0.03;

struct TriedChange {
  launch::Candidate candidate;
  std::string study{};  ///< study of its pairs of runs; empty: it was not tried
  PairFacts facts{};
  /// Whether training computes the same numbers with this change; empty: not known, or the numbers
  /// differ in each run anyway.
  std::optional<bool> same_numbers{};
  std::string why_not{};  ///< why it was not tried or has no result; empty: it is still to be tried

  bool going = false;  ///< its pairs of runs train now

  bool quicker() const {
    return !study.empty() && facts.verdict == analysis::PairVerdict::kShorter;
  }
  bool saves_enough() const { return quicker() && facts.longer.value <= -kWorthKeeping; }
  /// Returns whether it is included in the following trials, and in a start with what was found.
  bool kept() const { return saves_enough() && !candidate.alters_numbers; }
};

struct Tries {
  std::string as_it_is{};  ///< "#12": the run of the unchanged recipe; empty: none yet
  double step_ns = 0;      ///< step time of that run; 0: not known
  double budget_s = 0;
  std::vector<TriedChange> changes{};
  std::string outside{};  ///< launch::only_outside()
  std::string doing{};    ///< current work: "DataLoader.num_workers=2, 2 of 5"; empty: none
  bool stopped = false;
  std::string
      failed{};  ///< how a run without the change failed, which ended the tries; empty: none

  bool any_kept() const;
};

/// Returns where the run's steps spend their time, measured after the warm-up.
launch::Shown shown_by(const model::RunModel& run);

/// Returns why a change is not worth a trial; empty: it is.
std::string idle_words(const launch::Candidate& candidate);

/// Returns the difference in time for equal work: "12.3 % less (8.1 to 16.0)", "1.0 % more (2.1
/// less to 4.2 more)".
std::string longer_words(const PairFacts& facts);

Table tried_table(const Tries& tries);
/// Lists the changes that would be tried, with reasons. `outside`: launch::only_outside().
Table candidates_table(const std::vector<launch::Candidate>& all, const std::string& outside);
/// Returns one sentence about the results of all changes; empty if nothing was tried.
std::string tries_words(const Tries& tries);

struct TryFacts {
  std::string run{};                          ///< "#12": the open one
  std::string not_of_run{};                   ///< why no change can be tried for it; empty: one can
  std::vector<launch::Candidate> proposed{};  ///< changes proposed for the open run
  std::string outside{};                      ///< launch::only_outside() of it
  std::string tried_run{};  ///< "#7": the run that `tries` belong to; empty: nothing was tried yet
  Tries tries{};
  std::string problem{};  ///< why the trials could not start
};
struct TryView {
  std::string subtitle;
  Table table;
  std::string status;
  Tone tone = Tone::kDim;  ///< tone of the status
  bool going = false;
  bool can_start = false;
  bool can_launch = false;  ///< at least one change was kept
};
TryView build_try_view(const TryFacts& facts);

}  // namespace ringside::view
