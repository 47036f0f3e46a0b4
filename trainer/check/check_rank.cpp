#include "trainer/check/check_rank.h"

#include "trainer/dist/rendezvous.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::check {

Result<std::unique_ptr<engine::RankParts>> prepare(const CheckRank& rank) {
  return engine::prepare_rank(rank.spec, rank.env, rank.options, rank.cuda);
}

Result<Facts> take(Measurement measurement, const CheckRank& rank) {
  try {
    return measurement(rank);
  } catch (const std::exception& thrown) {
    return failure(dist::describe(thrown));
  }
}

}  // namespace ringside::check
