// Ranks that others wait for in a process group: members that have entered fewer of its collectives
// than those that wait. Pure functions of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"
#include "protocol/messages/group_records.h"

namespace ringside::analysis {

/// A rank, and the collective that it has not entered.
struct Hang {
  Rank rank = kNoRank;
  std::size_t group = 0;  ///< index in GroupStore::groups()
  messages::Collective operation{};
  std::int64_t number = 0;
  double seconds = 0;         ///< since the first waiting member entered it
  std::vector<Rank> waiting;  ///< ascending
};

struct Hangs {
  std::vector<Hang> hangs;  ///< sorted by rank
  /// The named ranks and all ranks that wait for them, also indirectly; included even if it is too
  /// early to name the missing rank.
  std::set<Rank> explained;
};

/// `silent`: ranks without a step for longer than the limit; only their waits count. `unknown`:
/// nodes whose ranks may be further than their records show. A rank is not named if it waits
/// itself, if its records were lost, if it does not train, or if it does not report its
/// collectives. Ranks that wait for each other are not named.
Hangs hangs(const model::RunModel& model, std::int64_t now_ns, const std::set<Rank>& silent,
            const std::set<Node>& unknown);

}  // namespace ringside::analysis
