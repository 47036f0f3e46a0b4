#include "trainer/engine/loop/batch_copies.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/trainer/engine/fake_lanes.h"

using namespace ringside;
using engine::BatchCopies;
using testing::FakeCopyStream;
using testing::FakeLanes;

namespace {

using Lane = FakeLanes::Lane;

constexpr std::int64_t kLargest = 3;  ///< samples of a batch

/// A loader that reuses memory as soon as allowed: batch n is in slot n % size, and when n is
/// returned all batches up to n + ahead are filled.
struct EagerLoader {
  EagerLoader(std::int64_t kept_batches, std::int64_t ahead_batches)
      : kept(kept_batches), ahead(ahead_batches) {
    for (std::int64_t i = 0; i < kept + ahead; ++i)
      slots.push_back({at::zeros({kLargest}, at::kByte), at::zeros({kLargest}, at::kLong)});
  }
  std::vector<at::Tensor>& slot(std::int64_t number) {
    return slots[static_cast<std::size_t>(number % (kept + ahead))];
  }
  void start(std::int64_t first_value) {
    first = first_value;
    filled = 0;
    fill_to(ahead - 1);
  }
  void fill_to(std::int64_t number) {
    for (; filled <= number; ++filled) {
      slot(filled)[0].fill_((first + filled) % 251);
      slot(filled)[1].fill_(first + filled);
    }
  }
  std::vector<at::Tensor> hand_out(std::int64_t number, std::int64_t samples) {
    fill_to(number + ahead);
    return {slot(number)[0].narrow(0, 0, samples), slot(number)[1].narrow(0, 0, samples)};
  }
  std::int64_t kept;
  std::int64_t ahead;
  std::int64_t first = 0;
  std::int64_t filled = 0;
  std::vector<std::vector<at::Tensor>> slots;
};

struct Rig {
  Rig(std::uint32_t seed, std::int64_t kept, std::int64_t ahead)
      : lanes(seed),
        loader(kept, ahead),
        copies(std::make_unique<FakeCopyStream>(lanes, BatchCopies::events(kept)),
               {at::zeros({kLargest}, at::kByte), at::zeros({kLargest}, at::kLong)}, at::kCPU, kept,
               watch) {}

  /// Copies like BatchFeed, and enqueues a step that reads the batch when the device reaches it.
  void step(std::int64_t number, std::int64_t samples) {
    copies.make_room(number);
    const auto on_device = copies.copy(number, loader.hand_out(number, samples));
    lanes.compute([this, on_device] {
      seen_pixels.push_back(on_device[0].to(at::kLong).sum().item<std::int64_t>());
      seen_labels.push_back(on_device[1].sum().item<std::int64_t>());
    });
    expected_pixels.push_back((loader.first + number) % 251 * samples);
    expected_labels.push_back((loader.first + number) * samples);
  }

  dist::ProcessGroups solo;
  dist::CollectiveWatch watch{solo, std::chrono::hours(1)};
  FakeLanes lanes;
  EagerLoader loader;
  BatchCopies copies;
  std::vector<std::int64_t> seen_pixels, seen_labels, expected_pixels, expected_labels;
};

}  // namespace

TEST_CASE(
    "every step reads its own batch, whichever of host, copy stream and compute stream is ahead") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Rig rig(seed, 1 + seed % 3, seed % 4);
    rig.lanes.done_per_question = seed % 5 == 0 ? 3 : 1;
    std::int64_t value = 1;
    for (int epoch = 0; epoch < 4; ++epoch) {
      rig.copies.finish();
      rig.loader.start(value);
      const auto batches = static_cast<std::int64_t>(rig.lanes.chance() % 9);
      for (std::int64_t n = 0; n < batches; ++n) {
        rig.step(n, n + 1 == batches ? 1 : kLargest);
        for (auto i = rig.lanes.chance() % 6; i > 0; --i) rig.lanes.advance();
      }
      value += 100;
    }
    rig.lanes.finish();
    CHECK(rig.seen_pixels == rig.expected_pixels);
    CHECK(rig.seen_labels == rig.expected_labels);
  }
}

TEST_CASE("a batch is copied while the previous one is computed, and no earlier") {
  Rig rig(1, 10, 0);
  rig.loader.start(0);
  rig.lanes.finish();
  for (std::int64_t n = 0; n < 3; ++n) rig.step(n, kLargest);
  CHECK(rig.lanes.asked == 0);        // with memory for ten batches the host has not polled yet
  rig.lanes.advance(Lane::kCompute);  // up to the first step, which takes some time
  while (rig.lanes.advance(Lane::kCopy)) {
  }
  CHECK(rig.lanes.done[BatchCopies::kPlaces + 1] == 1);
  CHECK(rig.lanes.done[BatchCopies::kPlaces + 2] == 0);  // batch 0 is still in its place
  rig.lanes.finish();
  CHECK(rig.seen_labels == rig.expected_labels);
}

TEST_CASE("a device that hangs does not hang the host") {
  testing::FakeLanes lanes(1);
  lanes.done_per_question = 0;
  const dist::ProcessGroups solo;
  const dist::CollectiveWatch watch(solo, std::chrono::milliseconds(1));
  const std::vector<at::Tensor> batch{at::zeros({1}, at::kByte)};
  BatchCopies copies(std::make_unique<FakeCopyStream>(lanes, BatchCopies::events(1)), batch,
                     at::kCPU, 1, watch);
  copies.copy(0, batch);
  CHECK_THROWS(copies.make_room(1));
  CHECK_THROWS(copies.finish());
}
