// A study of settings as it is shown: a row for each combination with its results, and the best
// one. Pure; any thread.
#pragma once

#include <string>

#include "gui/analysis/scaling/pairs.h"
#include "gui/view/scaling/scaling_view.h"
#include "protocol/base/result.h"

namespace ringside::view {

/// Returns a bad request, which names the nearest valid metric, if StudyFacts::best_by cannot be
/// `key`.
Result<void> check_best(const std::string& key);

Table build_combinations_table(const StudyFacts& facts);

/// Names the best setting by facts.best_by, or else by the first known one of validation accuracy,
/// validation loss, training loss and time; the distance of the next, and whether that is more than
/// chance. One sentence; empty if there is no best.
std::string best_words(const StudyFacts& facts);

/// Says which of two settings with repeats takes longer, and whether that is more than chance;
/// empty otherwise.
std::string time_words(const StudyFacts& facts);

/// Results of the pairs of runs of two settings (runs::Study::of_pairs).
struct PairFacts {
  std::string what;        ///< unit of the compared times: "sample", "step", "run"
  std::int64_t pairs = 0;  ///< number of pairs measured
  /// How much longer the second setting takes, as a share; known from two pairs on.
  analysis::Interval longer;
  analysis::PairVerdict verdict = analysis::PairVerdict::kOpen;
  std::int64_t trained = 0;  ///< number of pairs trained, of which `pairs` are in the interval
  bool over_budget = false;  ///< the next pairs would exceed the budget
  bool saves_less = false;   ///< ended, since StudyHead::least_gain is unlikely
  /// Finished pairs in which a loss was NaN or Inf, or whose runs did unequal work.
  std::int64_t uncounted = 0;
  std::string unequal{};  ///< how the runs of such a pair differ; empty: they do not
  /// Repeats to train before the next evaluation; 0: it is decided, or ends undecided.
  std::int64_t next_repeats = 0;
};
PairFacts pair_facts(const StudyFacts& facts);
/// The result in a sentence, and what disturbed it; empty: fewer than two pairs so far.
std::string pair_words(const StudyFacts& facts);

}  // namespace ringside::view
