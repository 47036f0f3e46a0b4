// Tests how events in any order are put into lanes, and how they are found there.
#include "gui/model/timeline/timeline_builder.h"

#include <random>

#include "tests/support/catch.h"

namespace ringside::model {
namespace {

std::vector<std::string> names_in(const Timeline& made, const Lane& lane) {
  std::vector<std::string> names;
  for (const std::uint32_t name : lane.name) names.push_back(made.names[name].text);
  return names;
}

TEST_CASE("a called event lies one lane below its caller, in any order of events") {
  TimelineBuilder builder;
  const auto track = builder.add_track({.rank = 0});
  builder.add(track, 140, 20, builder.name("inner", "cpu_op"));
  builder.add(track, 100, 100, builder.name("outer", "cpu_op"));
  builder.add(track, 145, 5, builder.name("innermost", "cpu_op"));
  builder.add(track, 170, 30, builder.name("inner", "cpu_op"));
  builder.add(track, 200, 50, builder.name("outer", "cpu_op"));
  const Timeline made = builder.finish();
  REQUIRE(made.tracks.size() == 1);
  REQUIRE(made.tracks[0].lanes.size() == 3);
  CHECK(names_in(made, made.tracks[0].lanes[0]) == std::vector<std::string>{"outer", "outer"});
  CHECK(names_in(made, made.tracks[0].lanes[1]) == std::vector<std::string>{"inner", "inner"});
  CHECK(made.tracks[0].lanes[1].begin_ns == std::vector<std::int64_t>{40, 70});
  CHECK(made.tracks[0].lanes[1].duration_ns(1) == 30);
  CHECK(made.begin_ns == 0);
  CHECK(made.end_ns == 150);
  CHECK(made.events == 5);
  CHECK(made.names[0].events == 2);
}

TEST_CASE("events of a lane do not overlap, and no event is lost") {
  std::mt19937 random(7);
  TimelineBuilder builder;
  const auto track = builder.add_track({.rank = 0});
  const auto name = builder.name("any", "");
  for (int i = 0; i < 2000; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % 20'000);
    builder.add(track, begin, static_cast<std::int64_t>(random() % 60), name);
  }
  const Timeline made = builder.finish();
  std::size_t events = 0;
  for (const Lane& lane : made.tracks[0].lanes) {
    events += lane.size();
    for (std::size_t i = 1; i < lane.size(); ++i) REQUIRE(lane.end_ns(i - 1) <= lane.begin_ns[i]);
  }
  CHECK(events == 2000);
  CHECK(made.notices.empty());
}

TEST_CASE("events beyond the greatest number of lanes are left out and reported") {
  TimelineBuilder builder;
  const auto track = builder.add_track({.rank = 0});
  for (std::size_t i = 0; i < kMostLanes + 3; ++i)
    builder.add(track, static_cast<std::int64_t>(i), 100'000, builder.name("all at once", ""));
  const Timeline made = builder.finish();
  CHECK(made.tracks[0].lanes.size() == kMostLanes);
  CHECK(made.events == kMostLanes);
  REQUIRE(made.notices.size() == 1);
  CHECK(made.notices[0] == "3 events that overlap more than 512 others are left out.");
}

TEST_CASE("ranks are in order, steps come first, and tracks without a rank last") {
  TimelineBuilder builder;
  const auto name = builder.name("any", "");
  const auto add = [&](Track head) { builder.add(builder.add_track(std::move(head)), 0, 1, name); };
  add({kNoRank, "tool", "thread 1"});
  add({1, "rank 1", "thread 7"});
  add({0, "rank 0", "stream 7", TrackKind::kGpu});
  add({0, "rank 0", "steps", TrackKind::kSteps});
  builder.add_track({0, "rank 0", "empty"});
  const Timeline made = builder.finish();
  std::vector<std::string> titles;
  for (const Track& track : made.tracks) titles.push_back(track.title);
  CHECK(titles == std::vector<std::string>{"steps", "stream 7", "thread 7", "thread 1"});
  CHECK(made.ranks() == std::vector<Rank>{0, 1});
}

TEST_CASE("waits in a collective refer to the events in their lanes") {
  TimelineBuilder builder;
  const auto late = builder.add_track({1, "rank 1", "collectives", TrackKind::kCollectives});
  const auto early = builder.add_track({0, "rank 0", "collectives", TrackKind::kCollectives});
  const auto name = builder.name("all-reduce of dp", "collective");
  builder.add(early, 5, 5, name);
  builder.add_round(name, {{late, 80, 30}, {early, 20, 90}}, 0);
  builder.add_round(name, {{late, 200, 10}, {early, 190, 20}}, std::nullopt);
  const Timeline made = builder.finish(0);
  REQUIRE(made.waits.size() == 1);
  CHECK(made.waits[0].end_ns == 80);
  CHECK(made.tracks[made.waits[0].waiting.track].rank == 0);
  CHECK(made.lane_of(made.waits[0].waiting).begin_ns[made.waits[0].waiting.event] == 20);
  CHECK(made.tracks[made.waits[0].last.track].rank == 1);
  CHECK(made.begin_ns == 5);
}

TEST_CASE("binary search finds the same moments as a linear scan") {
  TimelineBuilder builder;
  const auto track = builder.add_track({.rank = 0});
  for (int i = 0; i < 300; ++i)
    builder.add(track, i * 10, i % 3 == 0 ? 0 : 7, builder.name("a", ""));
  const Timeline made = builder.finish();
  const Lane& lane = made.tracks[0].lanes[0];
  for (std::int64_t at = -5; at < 3010; ++at) {
    std::size_t ends = 0, begins = 0;
    while (ends < lane.size() && lane.end_ns(ends) <= at && lane.begin_ns[ends] <= at) ++ends;
    while (begins < lane.size() && lane.begin_ns[begins] < at) ++begins;
    REQUIRE(first_ending_after(lane, at) == ends);
    for (const std::size_t from : {std::size_t{0}, begins / 2, begins})
      REQUIRE(first_beginning_at(lane, from, at) == begins);
  }
}

TEST_CASE("steps are counted by their names, and steps that two profilers recorded count once") {
  TimelineBuilder builder;
  const auto track = builder.add_track({.rank = 0});
  for (const char* const name : {"step 5", "step 6", "forward"})
    builder.add(track, 0, 1, builder.name(name, "step"));
  for (const char* const name : {"ProfilerStep#5", "ProfilerStep#6"})
    builder.add(track, 0, 1, builder.name(name, "user_annotation"));
  builder.add(track, 0, 1, builder.name("ProfilerStep#5", "gpu_user_annotation"));
  builder.add(track, 0, 1, builder.name("step 7", "cpu_op"));
  CHECK(builder.finish().steps == 2);
}

}  // namespace
}  // namespace ringside::model
