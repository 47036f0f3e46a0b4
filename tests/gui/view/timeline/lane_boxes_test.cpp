// Tests lanes reduced to pixels: wide events stay, thin events are merged, and none is lost.
#include "gui/view/timeline/lane_boxes.h"

#include <random>

#include "tests/support/catch.h"

namespace ringside::view {
namespace {

model::Lane lane_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& events) {
  model::Lane lane;
  std::uint32_t name = 0;
  for (const auto& [begin, took] : events) lane.add(begin, took, name++ % 5);
  return lane;
}

TEST_CASE("an event as wide as a pixel is a box of its own, clipped to the window") {
  const auto lane = lane_of({{0, 100}, {100, 10}, {150, 900}});
  const auto boxes = lane_boxes(lane, {50, 250, 20});
  REQUIRE(boxes.size() == 3);
  CHECK(boxes[0].begin == 0);
  CHECK(boxes[0].end == 5);
  CHECK(boxes[1].begin == 5);
  CHECK(boxes[1].end == 6);
  CHECK(boxes[2].begin == 10);
  CHECK(boxes[2].end == 20);
  CHECK(boxes[2].first == 2);
}

TEST_CASE("thin events share a column whose fullness is their busy share") {
  std::vector<std::pair<std::int64_t, std::int64_t>> events;
  for (int i = 0; i < 1000; ++i) events.emplace_back(i * 10, 5);
  const auto boxes = lane_boxes(lane_of(events), {0, 10'000, 10});
  std::uint32_t all = 0;
  for (const auto& box : boxes) {
    CHECK(box.fullness == 4);
    all += box.events;
  }
  CHECK(all == 1000);
  CHECK(boxes.front().begin == 0);
  CHECK(boxes.back().end == 10);
}

TEST_CASE("one moment in an empty hour is still visible") {
  const auto boxes = lane_boxes(lane_of({{1'800'000'000'000, 0}}), {0, 3'600'000'000'000, 1000});
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].begin == 500);
  CHECK(boxes[0].end == 501);
  CHECK(boxes[0].fullness == 2);
}

TEST_CASE("no pixel has more than two boxes, and every visible event is counted once") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    model::Lane lane;
    std::int64_t at = 0;
    for (int i = 0; i < 3000; ++i) {
      at += static_cast<std::int64_t>(random() % (trial % 7 == 0 ? 4000 : 60));
      const auto took = static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 5000 : 20));
      lane.add(at, took, static_cast<std::uint32_t>(random() % 4));
      at += took;
    }
    const auto begin = static_cast<std::int64_t>(random() % static_cast<unsigned>(at / 2));
    const TimelineWindow window{begin, begin + 1 + static_cast<std::int64_t>(random()) % at,
                                1 + static_cast<int>(random() % 400)};
    const auto boxes = lane_boxes(lane, window);
    CHECK(boxes.size() <= 2 * static_cast<std::size_t>(window.pixels) + 2);
    std::size_t next = model::first_ending_after(lane, window.begin_ns);
    float right = 0;
    for (const auto& box : boxes) {
      REQUIRE(box.first == next);
      REQUIRE(box.begin >= 0);
      REQUIRE(box.end <= static_cast<float>(window.pixels));
      REQUIRE(box.end >= right - 1.01F);
      right = box.end;
      next += box.events;
    }
    REQUIRE((next == lane.size() || lane.begin_ns[next] >= window.end_ns));
  }
}

TEST_CASE("columns do not change while the window moves by whole pixels") {
  std::vector<std::pair<std::int64_t, std::int64_t>> events;
  for (int i = 0; i < 5000; ++i) events.emplace_back(i * 17, (i * 7) % 13);
  const auto lane = lane_of(events);
  const auto there = lane_boxes(lane, {20'000, 40'000, 200});
  const auto moved = lane_boxes(lane, {21'000, 41'000, 200});
  std::size_t same = 0;
  for (const auto& a : there) {
    for (const auto& b : moved)
      same += a.first == b.first && a.events == b.events && a.fullness == b.fullness ? 1 : 0;
  }
  CHECK(same + 20 >= there.size() - 10);
}

}  // namespace
}  // namespace ringside::view
