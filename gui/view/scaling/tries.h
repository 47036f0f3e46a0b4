// Changes that are tried to make the same work quicker: what a run of the recipe as it is says of
// where to look, what has come of each change so far, and that as a table. Terminal, JSON and
// window take theirs from here. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/candidates.h"
#include "gui/model/run_model_fwd.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Labels of the sheet; what follows ## keeps ids apart and is not drawn.
namespace label {
inline constexpr const char* kTry = "Try for me";
inline constexpr const char* kStartTries = "Try##tries";
inline constexpr const char* kStopTries = "Stop##tries";
inline constexpr const char* kLaunchTried = "Launch with it";
inline constexpr const char* kOtherNumbers = "Other numbers too";
inline constexpr const char* kCopyTries = "Copy##tries";
inline constexpr const char* kCloseTries = "Close##tries";
}  // namespace label

/// A change that would save less than this stays out, however certain.
inline constexpr double kWorthKeeping = 0.03;

/// What has come of one change.
struct TriedChange {
  launch::Candidate candidate;
  std::string study{};  ///< of its pairs; empty: it was not tried
  PairFacts facts{};
  /// Whether a training has the same numbers with it; nothing: not known, or others in each run
  /// anyhow.
  std::optional<bool> same_numbers{};
  std::string why_not{};  ///< it was not tried, or has no answer; empty: it waits for its turn

  bool quicker() const {
    return !study.empty() && facts.verdict == analysis::PairVerdict::kShorter;
  }
  /// Quicker by so much that the next ones are tried with it.
  bool kept() const { return quicker() && facts.longer.value <= -kWorthKeeping; }
};

struct Tries {
  std::string as_it_is{};  ///< "#12": the run that was looked at first; empty: none yet
  double step_ns = 0;      ///< of it; 0: not known
  double budget_s = 0;
  std::vector<TriedChange> changes{};
  std::string doing{};  ///< "DataLoader.num_workers=2, 2 of 5"; empty: nothing goes on
  bool stopped = false;

  bool any_kept() const;
};

/// Where its steps spend their time, over those after the warm-up.
launch::Shown shown_by(const model::RunModel& run);

/// "12.3 % less (8.1 to 16.0)", "1.0 % more (2.1 less to 4.2 more)": the time of equal work.
std::string longer_words(const PairFacts& facts);

Table tried_table(const Tries& tries);
/// What would be tried, and why.
Table candidates_table(const std::vector<launch::Candidate>& all);
/// What has come of all of them, in a sentence; empty: nothing was tried.
std::string tries_words(const Tries& tries);

/// What the sheet is made from.
struct TryFacts {
  std::string run{};                          ///< "#12": the open one
  std::string not_of_run{};                   ///< why nothing can be tried of it; empty: it can
  std::vector<launch::Candidate> proposed{};  ///< for it
  std::string tried_run{};  ///< "#7": the one that `tries` are of; empty: nothing was tried yet
  Tries tries{};
  std::string problem{};  ///< why nothing could be tried
};
struct TryView {
  std::string subtitle;
  Table table;
  std::string status;
  Tone tone = Tone::kDim;  ///< of the status
  bool going = false;
  bool can_start = false;
  bool can_launch = false;  ///< something was kept
};
TryView build_try_view(const TryFacts& facts);

}  // namespace ringside::view
