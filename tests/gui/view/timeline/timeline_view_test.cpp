// Tests the Timeline as data: layout of tracks, zooming and moving, hits, search, selection and
// texts.
#include "gui/view/timeline/timeline_view.h"

#include "gui/model/timeline/timeline_builder.h"
#include "gui/view/timeline/timeline_words.h"
#include "tests/support/catch.h"

namespace ringside::view {
namespace {

using model::TrackKind;

constexpr TimelineRoom kRoom{1000, 400, 16, 6, 0};

/// Returns two ranks of 1 ms each, with a step of two parts, an operator with the operator that it
/// calls, and a collective in which rank 0 waited.
model::Timeline two_ranks() {
  model::TimelineBuilder builder;
  std::vector<model::RoundMember> members;
  for (Rank rank = 0; rank < 2; ++rank) {
    const std::string process = "rank " + std::to_string(rank) + ", node 0";
    const auto add = [&](TrackKind kind, const char* title) {
      return builder.add_track({rank, process, title, kind});
    };
    const auto steps = add(TrackKind::kSteps, "steps"),
               thread = add(TrackKind::kThread, "thread 1");
    builder.add(steps, 0, 1'000'000, builder.name("step 4", "step"));
    builder.add(steps, 0, 400'000 + rank * 100'000, builder.name("forward", "step"));
    builder.add(steps, 500'000, 300'000, builder.name("backward", "step"));
    builder.add(thread, 100'000, 200'000 + rank * 100'000, builder.name("aten::mm", "cpu_op"));
    builder.add(thread, 150'000, 50'000, builder.name("aten::t", "cpu_op"));
    members.push_back({add(TrackKind::kCollectives, "collectives"), 600'000 + rank * 100'000,
                       300'000 - rank * 100'000});
  }
  builder.add_round(builder.name("all-reduce of dp", "collective"), members, 1);
  return builder.finish(0);
}

const TimelineLaneView* lane_in(const TimelineView& view, std::uint32_t track, std::uint32_t lane) {
  for (const TimelineLaneView& one : view.lanes) {
    if (one.track == track && one.lane == lane) return &one;
  }
  return nullptr;
}

TEST_CASE("ranks share one clock, and the step's parts have the colours of the breakdown") {
  const auto timeline = two_ranks();
  const auto view = build_timeline_view(timeline, {}, nullptr, kRoom);
  REQUIRE(view.heads.size() == 6);
  CHECK(view.heads[0].first);
  CHECK(view.heads[0].rank == 0);
  CHECK_FALSE(view.heads[1].first);
  CHECK(view.heads[3].first);
  CHECK(view.heads[3].rank == 1);
  CHECK(view.heads[3].y > view.heads[2].y + view.heads[2].height);
  const auto* const first = lane_in(view, 0, 1);
  const auto* const second = lane_in(view, 3, 1);
  REQUIRE((first != nullptr && second != nullptr));
  REQUIRE(first->boxes.size() == 2);
  CHECK(first->boxes[0].ink.token == Token::kForward);
  CHECK(first->boxes[1].ink.token == Token::kBackward);
  CHECK(first->boxes[1].begin == second->boxes[1].begin);
  CHECK(second->boxes[0].end > first->boxes[0].end);
  CHECK(first->boxes[0].label == "forward");
  CHECK_FALSE(view.ticks.empty());
}

TEST_CASE("an arrow leads from the rank that entered last to the one that waited") {
  const auto timeline = two_ranks();
  const auto view = build_timeline_view(timeline, {}, nullptr, kRoom);
  REQUIRE(view.arrows.size() == 1);
  CHECK(view.arrows[0].from_y > view.arrows[0].to_y);
  CHECK(view.arrows[0].x == Approx(view.window.x_of(700'000)));
  const auto* const waiting = lane_in(view, 1, 0);
  REQUIRE(waiting != nullptr);
  REQUIRE(waiting->waits.size() == 1);
  CHECK(waiting->waits[0].begin == Approx(view.window.x_of(600'000)));
  CHECK(waiting->waits[0].end == Approx(view.arrows[0].x));
  const auto facts = event_facts(timeline, {1, 0, 0});
  CHECK(plain(facts.back().value) == "100 µs for Rank 1");
  CHECK(plain(event_facts(timeline, {4, 0, 0}).back().value) == "1 rank waited, up to 100 µs");
}

TEST_CASE("zooming keeps the time under the mouse in place, and never leaves the timeline") {
  const auto timeline = two_ranks();
  TimelineChoice choice;
  zoom(timeline, 0.1, 0.25, choice);
  const auto whole = shown_span(timeline, {});
  const auto span = shown_span(timeline, choice);
  const double at = static_cast<double>(whole.begin_ns) +
                    0.25 * static_cast<double>(whole.end_ns - whole.begin_ns);
  CHECK(static_cast<double>(span.begin_ns) +
            0.25 * static_cast<double>(span.end_ns - span.begin_ns) ==
        Approx(at).margin(3));
  for (int i = 0; i < 40; ++i) move_by(timeline, 0.5, choice);
  CHECK(shown_span(timeline, choice).end_ns <= whole.end_ns + 1);
  for (int i = 0; i < 90; ++i) zoom(timeline, 0.5, 0.5, choice);
  CHECK(choice.end_ns - choice.begin_ns >= 100);
  for (int i = 0; i < 90; ++i) zoom(timeline, 2, 0.5, choice);
  CHECK(choice.end_ns == choice.begin_ns);
}

TEST_CASE("the view fits the selected event, then everything") {
  const auto timeline = two_ranks();
  TimelineChoice choice;
  choice.selected = model::EventPlace{2, 1, 0};
  fit(timeline, choice);
  CHECK(choice.begin_ns <= 150'000);
  CHECK(choice.end_ns >= 200'000);
  CHECK(choice.end_ns - choice.begin_ns < 70'000);
  fit(timeline, choice);
  CHECK(choice.end_ns == choice.begin_ns);
}

TEST_CASE("a folded track shows its first lane, and the tracks below move up") {
  const auto timeline = two_ranks();
  TimelineChoice choice;
  const auto before = build_timeline_view(timeline, choice, nullptr, kRoom);
  choice.folded = {0};
  const auto after = build_timeline_view(timeline, choice, nullptr, kRoom);
  CHECK(lane_in(after, 0, 1) == nullptr);
  CHECK(after.heads[1].y == before.heads[1].y - kRoom.lane);
  CHECK(after.height == before.height - kRoom.lane);
  CHECK(after.heads[0].folded);
  show_event(timeline, {0, 1, 0}, choice);
  CHECK(choice.folded.empty());
}

TEST_CASE("only visible boxes are built") {
  const auto timeline = two_ranks();
  TimelineRoom low = kRoom;
  low.height = 30;
  CHECK(build_timeline_view(timeline, {}, nullptr, low).lanes.size() == 2);
  low.scrolled = 10'000;
  CHECK(build_timeline_view(timeline, {}, nullptr, low).lanes.empty());
}

TEST_CASE("thin boxes of one colour that adjoin are painted as one") {
  const auto box = [](float begin, float end, TimelineInk ink) {
    DrawnBox one;
    one.begin = begin;
    one.end = end;
    one.ink = ink;
    return one;
  };
  const TimelineInk busy{Token::kSmallBar, 1}, half{Token::kSmallBar, 0.5F};
  const std::vector<DrawnBox> boxes{box(0, 1, busy), box(1, 2, busy),  box(2, 3, half),
                                    box(4, 5, half), box(5, 20, half), box(20, 21, half)};
  CHECK(alike_until(boxes, 0) == 2);  // the next has another colour
  CHECK(alike_until(boxes, 2) == 3);  // a gap follows
  CHECK(alike_until(boxes, 3) == 4);  // a wide box has an edge of its own
  CHECK(alike_until(boxes, 4) == 5);
  CHECK(alike_until(boxes, 5) == 6);
}

TEST_CASE("a search finds names ignoring case, in the order of time, and wraps around") {
  const auto timeline = two_ranks();
  const auto matches = find_matches(timeline, "ATEN::M");
  CHECK(matches.events == 2);
  const auto view = build_timeline_view(timeline, {}, &matches, kRoom);
  const auto* const lane = lane_in(view, 2, 0);
  REQUIRE(lane != nullptr);
  CHECK(lane->found.size() == 1);
  const auto first = next_match(timeline, matches, std::nullopt);
  REQUIRE(first);
  CHECK(*first == model::EventPlace{2, 0, 0});
  const auto second = next_match(timeline, matches, first);
  REQUIRE(second);
  CHECK(*second == model::EventPlace{5, 0, 0});
  CHECK(next_match(timeline, matches, second) == first);
  CHECK(next_match(timeline, matches, first, true) == second);
  CHECK(next_match(timeline, matches, second, true) == first);
  const auto none = find_matches(timeline, "nothing of that kind");
  CHECK(none.events == 0);
  CHECK_FALSE(next_match(timeline, none, std::nullopt));
}

TEST_CASE("the box under the mouse is named with its time and track") {
  const auto timeline = two_ranks();
  const auto view = build_timeline_view(timeline, {}, nullptr, kRoom);
  const auto* const lane = lane_in(view, 2, 1);
  REQUIRE(lane != nullptr);
  const float x = (lane->boxes[0].begin + lane->boxes[0].end) / 2;
  const auto hit = hit_at(view, kRoom, x, lane->y + 3);
  REQUIRE(hit.box != nullptr);
  CHECK(timeline_hint(timeline, hit, view.window) == "aten::t, 50 µs\nRank 0, thread 1, at 150 µs");
  CHECK(hit_at(view, kRoom, 990, lane->y + 3).box == nullptr);
  CHECK(timeline_hint(timeline, {}, view.window).empty());
}

TEST_CASE("the selected event is found again in a timeline that has grown, or dropped") {
  const auto timeline = two_ranks();
  CHECK(found_again(timeline, {2, 1, 0}, 150'000) == model::EventPlace{2, 1, 0});
  CHECK_FALSE(found_again(timeline, {2, 1, 0}, 150'001));
  CHECK_FALSE(found_again(timeline, {9, 0, 0}, 150'000));
}

TEST_CASE("the amount of data is reported in words and per track") {
  const auto timeline = two_ranks();
  CHECK(timeline_size_text(timeline) == "2 ranks, 6 tracks, 12 events, 1 step, 1 ms");
  const auto table = tracks_table(timeline);
  REQUIRE(table.rows.size() == 6);
  CHECK(cell_of(table, table.rows[2], "busy_ms").text == "0.2");
  CHECK(cell_of(table, table.rows[0], "kind").text == "steps");
}

TEST_CASE("if there are too many waits, only those of the selected event are drawn") {
  model::TimelineBuilder builder;
  const auto a = builder.add_track({0, "rank 0", "collectives", TrackKind::kCollectives});
  const auto b = builder.add_track({1, "rank 1", "collectives", TrackKind::kCollectives});
  const auto name = builder.name("all-reduce", "collective");
  for (std::int64_t i = 0; i < 1000; ++i)
    builder.add_round(name, {{a, i * 1000, 500}, {b, i * 1000 + 100, 400}}, 1);
  const auto timeline = builder.finish();
  TimelineChoice choice;
  const auto all = build_timeline_view(timeline, choice, nullptr, kRoom);
  CHECK(all.more_arrows);
  CHECK(all.arrows.empty());
  choice.selected = model::EventPlace{0, 0, 7};
  CHECK(build_timeline_view(timeline, choice, nullptr, kRoom).arrows.size() == 1);
}

}  // namespace
}  // namespace ringside::view
