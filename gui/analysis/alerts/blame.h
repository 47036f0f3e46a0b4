// Finds the ranks to blame for a failed run from its agents' verdict, and those that failed because
// of them. Used wherever a culprit is named: alerts, the log, the command line. Pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

struct Blame {
  std::optional<Node> node;
  Rank rank = kNoRank;  ///< kNoRank: none, or the whole node

  bool operator==(const Blame&) const = default;
};

/// The rank or node in the text of a run's end: "rank 3: exit code 1", "node 1 (host): rank 3: exit
/// code 1", "node 1 (host): no message came from its agent".
Blame blame_in(std::string_view verdict);

struct Failures {
  /// The failed ranks: the cause before its victims, which may have reported earlier; otherwise by
  /// time.
  std::vector<Rank> ranks;
  Rank first = kNoRank;      ///< rank to inspect first; kNoRank: none failed, or only victims did
  bool run_says_it = false;  ///< the run failed, and its verdict names none of the ranks
};

/// The failures so far. Until the agent has recorded why the run failed they are ordered only by
/// time.
Failures failures(const model::RunModel& model);

}  // namespace ringside::analysis
