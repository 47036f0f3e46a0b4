#include "trainer/check/loader_alone.h"

#include "trainer/engine/loop/batch_source.h"

namespace ringside::check {

Result<LoaderAlone> LoaderAlone::create(const engine::RankParts& parts,
                                        const engine::DevicePlacement& placement) {
  auto loader = RINGSIDE_TRY(data::Loader::create(
      parts.data.train,
      engine::loader_options(engine::feed_options(parts, parts.facts.per_rank_batch), placement)));
  LoaderAlone alone(parts, std::move(loader));
  RINGSIDE_TRY(alone.progress_.prepare());
  return alone;
}

Result<void> LoaderAlone::start_epoch() {
  telemetry::Reporter unheard;
  return loader_.start(progress_.begin_epoch(unheard), epoch_++);
}

Result<const data::Batch*> LoaderAlone::next() {
  for (int tries = 0; tries < 2; ++tries) {
    if (const data::Batch* batch = epoch_ > 0 ? loader_.next() : nullptr) return batch;
    if (loader_.error()) return tl::unexpected<Error>(*loader_.error());
    RINGSIDE_TRY(start_epoch());
  }
  return failure("the loader gives no batch");
}

}  // namespace ringside::check
