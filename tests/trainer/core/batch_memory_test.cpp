#include "trainer/core/batch_memory.h"

#include "tests/support/catch.h"

using namespace ringside::core;

namespace {

constexpr std::int64_t kMib = std::int64_t{1} << 20;

}  // namespace

TEST_CASE("batches that fit are not reduced") {
  CHECK(fit_batches({10, 4}, 5 * kMib, 70 * kMib) == BatchMemory{10, 4});
  CHECK(fit_batches({10, 4}, 0, kMib) == BatchMemory{10, 4});  // no loader
}

TEST_CASE("when memory is short fewer batches are kept, and then fewer are loaded ahead") {
  CHECK(fit_batches({10, 4}, 5 * kMib, 70 * kMib - 1) == BatchMemory{9, 4});
  CHECK(fit_batches({10, 4}, 5 * kMib, 30 * kMib) == BatchMemory{2, 4});
  CHECK(fit_batches({10, 4}, 5 * kMib, 29 * kMib) == BatchMemory{2, 3});
  CHECK(fit_batches({10, 4}, 5 * kMib, 15 * kMib) == BatchMemory{2, 1});
}

TEST_CASE("the minimum for training is used whatever the limit") {
  CHECK(fit_batches({10, 4}, 500 * kMib, kMib) == BatchMemory{2, 1});
  CHECK(fit_batches({10, 0}, 500 * kMib, kMib) == BatchMemory{2, 0});
  CHECK(fit_batches({1, 0}, 500 * kMib, kMib) == BatchMemory{1, 0});
}

TEST_CASE("256 images of 224 x 224 with ten workers take less than a gibibyte") {
  const std::int64_t batch = std::int64_t{256} * (3 * 224 * 224 + 8);
  const BatchMemory given = fit_batches({10, 10}, 2 * batch, 1024 * kMib);
  CHECK(given == BatchMemory{3, 10});
  CHECK(given.batches() * 2 * batch <= 1024 * kMib);
}
