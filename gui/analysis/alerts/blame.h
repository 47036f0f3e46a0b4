// Names the ranks to blame for a failed run, by its agents' verdict, and those that failed because
// of them.
// What names a culprit asks here: alerts, the log, the command line. Pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

struct Blame {
  std::optional<Node> node;
  Rank rank = kNoRank;  ///< kNoRank: none, or the node as a whole

  bool operator==(const Blame&) const = default;
};

/// Whom the text of a run's end names: "rank 3: exit code 1", "node 1 (host): rank 3: exit code 1",
/// "node 1 (host): nothing was heard of its agent".
Blame blame_in(std::string_view verdict);

struct Failures {
  /// The ranks that failed: the cause before its victims, whose reports may be older; else by time.
  std::vector<Rank> ranks;
  Rank first = kNoRank;      ///< where to look first; kNoRank: none failed, or victims alone
  bool run_says_it = false;  ///< the run failed, and none of the ranks is what its verdict names
};

/// The failures so far. Until the agent has recorded why the run failed they are ordered by time
/// alone.
Failures failures(const model::RunModel& model);

}  // namespace ringside::analysis
