#include "trainer/engine/loop/rank_parts.h"

#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

struct Planned {
  explicit Planned(bool gpu) {
    if (gpu) parts.placement.cuda = &cuda;
    parts.spec.data.workers = 10;
    parts.facts.per_rank_batch = 256;
    for (data::Dataset* half : {&parts.data.train, &parts.data.test}) {
      half->channels = 3;
      half->height = half->width = 224;
    }
  }
  const core::BatchMemory& memory() {
    parts.warnings.clear();
    plan_batch_memory(parts);
    return parts.batch_memory;
  }
  testing::FakeCuda cuda;
  RankParts parts;
};

}  // namespace

TEST_CASE("a CPU slot uses batches in the loader's memory") {
  Planned planned(false);
  CHECK(planned.memory() == core::BatchMemory{1, 10});
  CHECK(planned.parts.warnings.empty());
  planned.parts.spec.data.workers = 0;
  CHECK(planned.memory() == core::BatchMemory{1, 0});
}

TEST_CASE("page-locked memory of both loaders stays below data.pinned_mib, with a warning") {
  Planned planned(true);
  CHECK(planned.memory() == core::BatchMemory{3, 10});
  REQUIRE(planned.parts.warnings.size() == 1);
  CHECK(
      planned.parts.warnings[0] ==
      "data.pinned_mib = 1024 holds 13 batches of each loader (956 MiB) instead of 20 (1471 MiB); "
      "raise it if steps wait for data and the machine has the memory");
  planned.parts.spec.data.pinned_mib = 1471;
  CHECK(planned.memory() == core::BatchMemory{10, 10});
  CHECK(planned.parts.warnings.empty());
}

TEST_CASE("loaders that do not exist take no memory") {
  Planned planned(true);
  planned.parts.spec.evaluate.mode = "none";
  CHECK(planned.memory() == core::BatchMemory{10, 10});
  planned.parts.spec.data.on_device = true;
  planned.parts.spec.data.pinned_mib = 1;
  CHECK(planned.memory() == core::BatchMemory{10, 10});
}

TEST_CASE("the evaluation batch is the configured one, or that of training but at least 64") {
  Planned planned(true);
  CHECK(evaluation_batch(planned.parts) == 256);
  planned.parts.facts.per_rank_batch = 8;
  CHECK(evaluation_batch(planned.parts) == 64);
  planned.parts.spec.evaluate.batch = 5;
  CHECK(evaluation_batch(planned.parts) == 5);
}
