// Ranks that others wait for inside of a process group that not all ranks are in: members that have
// entered less there than those that wait. Pure functions of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"
#include "protocol/messages/group_records.h"

namespace ringside::analysis {

/// One rank, and what it has not entered.
struct Hang {
  Rank rank = kNoRank;
  std::size_t group = 0;  ///< its place in GroupStore::groups()
  messages::Collective operation{};
  std::int64_t number = 0;
  double seconds = 0;         ///< since the first of those that wait has entered it
  std::vector<Rank> waiting;  ///< ascending
};

struct Hangs {
  std::vector<Hang> hangs;  ///< by rank
  /// Ranks that are named and all that wait for them, be it through others; also where it is too
  /// early to name them.
  std::set<Rank> explained;
};

/// `silent`: ranks that have made no step for longer than the limit; only their waits count.
/// `unknown`: nodes whose ranks may be further than their records show. A rank is not named if it
/// waits itself, if its records were lost, if it does not train, or if it does not report its
/// collectives. Of ranks that wait for each other none is named.
Hangs hangs(const model::RunModel& model, std::int64_t now_ns, const std::set<Rank>& silent,
            const std::set<Node>& unknown);

}  // namespace ringside::analysis
