#include "trainer/check/arithmetic.h"

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::check;

TEST_CASE("whole numbers differ by rank, and their sums are known exactly") {
  for (const std::int64_t count : {1, 1021, 5000}) {
    at::Tensor sum = at::zeros({count});
    for (int rank = 0; rank < 8; ++rank) sum += whole_numbers(count, rank);
    CHECK(differing(sum, whole_sums(count, 8)) == 0);
  }
  CHECK(differing(whole_numbers(1021, 0), whole_numbers(1021, 1)) == 1021);
  at::Tensor wrong = whole_sums(100, 2).clone();
  wrong[99] += 1;
  wrong[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(differing(wrong, whole_sums(100, 2)) == 2);
}

TEST_CASE("the sum of bits depends on every bit and not on the order") {
  const at::Tensor numbers = at::randn({3, 40});
  CHECK(bit_sum(numbers) == bit_sum(numbers.flip({0, 1})));
  at::Tensor other = numbers.clone();
  other[1][7] = std::nextafter(other[1][7].item<float>(), 100.0F);
  CHECK(bit_sum(numbers) != bit_sum(other));
}

namespace {

/// The shortest of several loads, each calibrated to 5 ms.
std::int64_t shortest_load_ns() {
  Load load(at::kCPU);
  load.calibrate(5'000'000);
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 20; ++i) {
    const std::int64_t begin_ns = mono_now_ns();
    load.enqueue();
    load.wait();
    least_ns = std::min(least_ns, mono_now_ns() - begin_ns);
  }
  return least_ns;
}

}  // namespace

TEST_CASE("a load takes about the requested time") {
  // A lost processor during calibration makes a load too short, but not every time.
  bool held = false;
  for (int i = 0; i < 20 && !held; ++i) held = shortest_load_ns() > 100'000;
  CHECK(held);
}
