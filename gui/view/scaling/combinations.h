// A study of settings as it is shown: a row for each combination with what it reached, and which is
// best. Pure; any thread.
#pragma once

#include <string>

#include "gui/analysis/scaling/pairs.h"
#include "gui/view/scaling/scaling_view.h"
#include "protocol/base/result.h"

namespace ringside::view {

/// A bad request names the nearest metric that StudyFacts::best_by can have.
Result<void> check_best(const std::string& key);

Table build_combinations_table(const StudyFacts& facts);

/// Says which is best by facts.best_by, else by the first that is known of validation accuracy, its
/// loss, the training loss and the time; how far the next is, and whether that is more than chance.
/// One sentence; empty: none can be told.
std::string best_words(const StudyFacts& facts);

/// Says of two settings with repeats which takes longer, and whether that is more than chance;
/// empty otherwise.
std::string time_words(const StudyFacts& facts);

/// What the pairs of runs of two settings tell (runs::Study::of_pairs).
struct PairFacts {
  std::string what;           ///< what took the time: "sample", "step", "run"
  std::int64_t pairs = 0;     ///< that were looked at
  analysis::Interval longer;  ///< the second setting, as a share; known from two pairs on
  analysis::PairVerdict verdict = analysis::PairVerdict::kOpen;
  bool over_budget = false;    ///< the next pairs would take more than it
  std::int64_t uncounted = 0;  ///< finished, but a loss broke
  /// Repeats to train until the next look; 0: it is decided, or ends without.
  std::int64_t next_repeats = 0;
};
PairFacts pair_facts(const StudyFacts& facts);
/// The answer in a sentence, and what disturbed it; empty: not two pairs yet.
std::string pair_words(const StudyFacts& facts);

}  // namespace ringside::view
