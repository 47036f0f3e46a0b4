// Tests the Timeline page without a display: sizes, themes and scales, mouse and keys, and the
// texts of an empty page.
#include "gui/model/timeline/timeline_builder.h"
#include "gui/view/timeline/operations_table.h"
#include "gui/view/timeline/timeline_words.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

namespace {

/// Returns steps of a millisecond on each rank, with operators nested two deep and waits for the
/// last rank.
model::Timeline timeline_of(Rank ranks, int steps) {
  model::TimelineBuilder builder;
  std::vector<std::uint32_t> step_tracks, threads, collectives;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::string process = "rank " + std::to_string(rank) + ", node 0";
    step_tracks.push_back(builder.add_track({rank, process, "steps", model::TrackKind::kSteps}));
    threads.push_back(builder.add_track({rank, process, "thread 4711"}));
    collectives.push_back(
        builder.add_track({rank, process, "collectives", model::TrackKind::kCollectives}));
  }
  const auto all_reduce = builder.name("all-reduce of dp", "collective");
  for (int step = 0; step < steps; ++step) {
    const std::int64_t at = step * std::int64_t{1'000'000};
    std::vector<model::RoundMember> members;
    for (std::size_t rank = 0; rank < step_tracks.size(); ++rank) {
      const auto late = static_cast<std::int64_t>(rank) * 1000;
      builder.add(step_tracks[rank], at, 990'000,
                  builder.name("step " + std::to_string(step), "step"));
      builder.add(step_tracks[rank], at, 400'000 + late, builder.name("forward", "step"));
      builder.add(threads[rank], at + 10'000, 300'000, builder.name("aten::linear", "cpu_op"));
      builder.add(threads[rank], at + 20'000, 100'000, builder.name("aten::mm", "cpu_op"));
      members.push_back({collectives[rank], at + 600'000 + late, 200'000 - late});
    }
    builder.add_round(all_reduce, members,
                      ranks > 1 ? std::optional(members.size() - 1) : std::nullopt);
  }
  return builder.finish(0);
}

struct TimelineScreen : NullScreen {
  explicit TimelineScreen(Rank ranks = 2, int steps = 20, float width = 1600, float height = 900,
                          float scale = 1, bool light = false)
      : NullScreen(width, height, scale, light),
        timeline(timeline_of(ranks, steps)),
        table(view::operations_table(timeline, 15)) {
    input.page = view::Page::kTimeline;
    input.timeline.timeline = &timeline;
    input.timeline.operations = &table;
    input.timeline.sources = {"Recorded steps", "Profile of steps 4 to 6"};
    frame();
    frame();
  }
  view::TimelineChoice& choice() { return memory.timeline.choice; }
  model::Timeline timeline;
  view::Table table;
};

bool timeline_draws(const std::string& words) {
  return std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& text) {
    return text.text.find(words) != std::string::npos;
  });
}

TEST_CASE("a timeline of one, two, eight and 64 ranks is drawn at every size and in both themes") {
  const Rank ranks = GENERATE(1, 2, 8, 64);
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(640, 480));
  const bool light = GENERATE(false, true);
  TimelineScreen screen(ranks, 20, size.x, size.y, 1, light);
  INFO(ranks << " ranks at " << size.x);
  CHECK(screen.vertices() > 500);
  REQUIRE(screen.find("Tracks"));
  for (const ui::Item& item : ui::items()) {
    if (item.label == item.window) continue;
    INFO(item.label);
    CHECK(item.area.right() <= screen.size().x + 1);
    CHECK(item.area.bottom() <= screen.size().y + 1);
  }
}

TEST_CASE("keys zoom, pan, show the whole timeline and cancel") {
  TimelineScreen screen;
  screen.press(ImGuiKey_W);
  const auto near = screen.choice();
  CHECK(near.end_ns > near.begin_ns);
  screen.press(ImGuiKey_D);
  CHECK(screen.choice().begin_ns > near.begin_ns);
  screen.press(ImGuiKey_A);
  CHECK(screen.choice().begin_ns == Approx(near.begin_ns).margin(2));
  screen.press(ImGuiKey_S);
  screen.press(ImGuiKey_S);
  CHECK(screen.choice().end_ns == screen.choice().begin_ns);
  screen.choice().selected = model::EventPlace{2, 1, 3};
  screen.press(ImGuiKey_F);
  CHECK(screen.choice().end_ns - screen.choice().begin_ns < 200'000);
  CHECK(timeline_draws("aten::mm"));
  screen.press(ImGuiKey_Home);
  CHECK(screen.choice().end_ns == screen.choice().begin_ns);
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.choice().selected);
  screen.input.page = view::Page::kLaunch;
  screen.press(ImGuiKey_6);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kTimeline);
}

TEST_CASE("the wheel zooms around the mouse, dragging pans, and a click selects the event there") {
  TimelineScreen screen;
  ImGuiIO& io = ImGui::GetIO();
  const auto plot = screen.find("Tracks");
  REQUIRE(plot);
  io.AddMousePosEvent(plot->area.middle_x(), plot->area.y + 8);
  screen.frame();
  io.AddMouseWheelEvent(0, 5);
  screen.frame();
  screen.frame();
  const auto zoomed = screen.choice();
  REQUIRE(zoomed.end_ns > zoomed.begin_ns);
  io.AddMouseButtonEvent(0, true);
  screen.frame();
  io.AddMousePosEvent(plot->area.middle_x() - 100, plot->area.y + 8);
  screen.frame();
  io.AddMouseButtonEvent(0, false);
  screen.frame();
  screen.frame();
  CHECK(screen.choice().begin_ns > zoomed.begin_ns);
  CHECK(screen.choice().end_ns - screen.choice().begin_ns ==
        Approx(zoomed.end_ns - zoomed.begin_ns).margin(2));
  CHECK_FALSE(screen.choice().selected);
  REQUIRE(screen.click("Tracks"));
  io.AddMousePosEvent(plot->area.middle_x(), plot->area.y + 8);
  screen.frame();
  io.AddMouseButtonEvent(0, true);
  screen.frame();
  io.AddMouseButtonEvent(0, false);
  screen.frame();
  screen.frame();
  REQUIRE(screen.choice().selected);
  CHECK(screen.choice().selected->track == 0);
  CHECK(screen.choice().selected->lane == 0);
  CHECK(timeline_draws("Begins"));
}

TEST_CASE("a search counts and marks its matches and steps from one to the next") {
  TimelineScreen screen;
  screen.choice().search = "aten::MM";
  screen.frame();
  CHECK(timeline_draws("40 found"));
  REQUIRE(screen.click("##next match"));
  REQUIRE(screen.choice().selected);
  const auto first = screen.choice().selected;
  CHECK(screen.timeline.name_of(*first).text == "aten::mm");
  REQUIRE(screen.click("##next match"));
  CHECK(screen.choice().selected != first);
  REQUIRE(screen.click("##match before"));
  CHECK(screen.choice().selected == first);
}

TEST_CASE("a press on a row of differences searches for it, and a second press ends the search") {
  TimelineScreen screen;
  REQUIRE(screen.click("Find aten::mm"));
  CHECK(screen.choice().search == "aten::mm");
  REQUIRE(screen.click("Find aten::mm"));
  CHECK(screen.choice().search.empty());
}

TEST_CASE("what a trace lacks is said while no event is selected") {
  TimelineScreen screen;
  CHECK_FALSE(timeline_draws("clock,"));
  screen.timeline.notices = {"The files share no clock, so each begins at 0."};
  screen.frame();
  CHECK(timeline_draws("clock,"));
  CHECK(timeline_draws("searches."));
  screen.choice().selected = model::EventPlace{0, 0, 0};
  screen.frame();
  CHECK_FALSE(timeline_draws("clock,"));
}

TEST_CASE("a track is folded, another source is chosen, and the whole timeline is shown again") {
  TimelineScreen screen;
  REQUIRE(screen.click("Fold steps##0"));
  CHECK(screen.choice().folded == std::set<std::uint32_t>{0});
  REQUIRE(screen.click("Unfold steps##0"));
  CHECK(screen.choice().folded.empty());
  screen.press(ImGuiKey_W);
  REQUIRE(screen.click("Fit"));
  CHECK(screen.choice().end_ns == screen.choice().begin_ns);
  screen.press(ImGuiKey_W);
  ++screen.input.timeline.source_revision;
  ++screen.input.timeline.revision;
  screen.frame();
  CHECK(screen.choice().end_ns == screen.choice().begin_ns);
}

TEST_CASE("without a timeline the page shows the reason and what to do") {
  NullScreen screen;
  screen.input.page = view::Page::kTimeline;
  screen.frame();
  screen.frame();
  CHECK(timeline_draws("Perfetto"));
  REQUIRE(screen.click(view::label::kOpenTrace));
  CHECK(screen.asked<view::ShowOpenRun>());
  screen.input.timeline.problem = "t.json, byte 7: this is no JSON";
  screen.frame();
  CHECK(timeline_draws("JSON"));
  screen.input.timeline.problem.clear();
  screen.input.timeline.share = 0.43;
  screen.frame();
  CHECK(timeline_draws("43 %"));
  REQUIRE(screen.click("Cancel##timeline"));
  CHECK(screen.asked<view::CancelTimeline>());
}

TEST_CASE("the page of an active run offers a profile") {
  TimelineScreen screen;
  CHECK_FALSE(screen.find(view::label::kProfileSteps));
  screen.input.timeline.can_profile = true;
  REQUIRE(screen.click(view::label::kProfileSteps));
  CHECK(screen.asked<view::ProfileRun>());
}

TEST_CASE("every term of the timeline has an explanation or needs none") {
  TimelineScreen screen(4);
  screen.choice().selected = model::EventPlace{2, 1, 3};
  screen.frame();
  screen.frame();
  for (const std::string& word : ui::unexplained()) INFO(word);
  CHECK(ui::unexplained().empty());
}

}  // namespace
