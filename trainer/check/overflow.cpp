#include <limits>

#include "trainer/check/check_rank.h"
#include "trainer/check/step_bench.h"

namespace ringside::check {

Result<Facts> overflow(const CheckRank& rank) {
  const auto prepared = RINGSIDE_TRY(prepare(rank));
  engine::RankParts& parts = *prepared;
  if (!parts.scaler) return bad_request("only train.precision = \"fp16\" scales the loss");
  StepBench bench(parts);
  RINGSIDE_TRY(bench.begin());
  const auto batch = RINGSIDE_TRY(bench.next_batch());
  bench.step(batch);
  bench.finish();
  const double scale_before = parts.scaler->state().scale;
  const std::uint64_t weights_before = dist::hash_of(parts.replica->parameters());
  const auto [images, labels] = batch.ready();
  engine::DeviceBatch poisoned = batch;
  if (parts.env.rank == parts.env.world_size - 1)
    poisoned = {{at::full_like(images, std::numeric_limits<double>::infinity()), labels}};
  bench.step(poisoned);
  const bool skipped = bench.finish().skipped != 0;
  const std::uint64_t weights_after = dist::hash_of(parts.replica->parameters());
  const double scale_after = parts.scaler->state().scale;
  bench.step(batch);
  return Facts{{"skipped", skipped},
               {"weights_moved", weights_after != weights_before},
               {"scale_before", scale_before},
               {"scale_after", scale_after},
               {"next_skipped", bench.finish().skipped != 0},
               {"next_weights_moved", dist::hash_of(parts.replica->parameters()) != weights_after}};
}

}  // namespace ringside::check
