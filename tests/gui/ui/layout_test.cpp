// Tests that panels fill the window without overlap at every size; sizes at 1600 x 900 are those of
// the design.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/ui/layout.h"
#include "gui/ui/live/live_panels.h"
#include "gui/ui/sampler/sampler_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/window/machines_page.h"
#include "tests/support/catch.h"

using namespace ringside::ui;

namespace {

bool apart(const Rect& a, const Rect& b) {
  return a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
}

void check_apart(const std::vector<Rect>& panels, const Rect& within) {
  for (std::size_t i = 0; i < panels.size(); ++i) {
    INFO("panel " << i);
    CHECK_FALSE(panels[i].empty());
    CHECK(panels[i].x >= within.x);
    CHECK(panels[i].y >= within.y);
    CHECK(panels[i].right() <= within.right());
    CHECK(panels[i].bottom() <= within.bottom());
    for (std::size_t k = 0; k < i; ++k) CHECK(apart(panels[i], panels[k]));
  }
}

struct Size {
  float width;
  float height;
};

void check_places(float width, float height, float scale, const Arrangement& arrangement) {
  const FrameLayout frame = frame_layout(width, height, scale);
  const LiveLayout live = live_layout(frame, scale, arrangement);
  std::vector<Rect> panels{live.events,    live.loss,  live.accuracy, live.speedup,
                           live.breakdown, live.ranks, live.logs};
  if (!live.charts_share) panels.push_back(live.step_time);
  check_apart(panels, live.content);
  const LaunchLayout launch = launch_layout(frame, scale, arrangement);
  check_apart({launch.devices, launch.form, launch.plan, launch.preflight, launch.command},
              launch.content);
  if (launch.pinned) {
    CHECK(apart(launch.launch, launch.viewport));
    check_apart({launch.launch}, frame.main);
  } else {
    check_apart({launch.launch, launch.command, launch.form}, launch.content);
  }
  for (const RunsSide side : {RunsSide::kDetails, RunsSide::kComparison}) {
    const RunsLayout runs = runs_layout(frame, scale, side, arrangement);
    std::vector<Rect> shown{runs.filter, runs.side};
    if (!runs.table.empty()) shown.push_back(runs.table);
    check_apart(shown, runs.content);
  }
  for (const bool alarm : {false, true}) {
    const SamplerLayout sampler = sampler_layout(frame, scale, alarm, arrangement);
    std::vector<Rect> shown{sampler.strip, sampler.grid, sampler.checks, sampler.validation};
    if (alarm) shown.push_back(sampler.alarm);
    if (!sampler.tabs) shown.insert(shown.end(), {sampler.first, sampler.moved, sampler.shards});
    check_apart(shown, sampler.content);
  }
  for (const std::size_t tables : {0U, 1U, 4U}) {
    const MachinesLayout machines = machines_layout(frame, scale, 5, tables);
    std::vector<Rect> shown{machines.strip, machines.board};
    shown.insert(shown.end(), machines.tables.begin(), machines.tables.end());
    CHECK(machines.tables.size() == std::max<std::size_t>(1, tables));
    check_apart(shown, machines.content);
  }
  for (const PageLayout* place :
       {static_cast<const PageLayout*>(&live), static_cast<const PageLayout*>(&launch)}) {
    CHECK(place->viewport.right() <= frame.main.right());
    CHECK(place->viewport.bottom() <= frame.main.bottom());
    CHECK(place->viewport.h > 0);
  }
}

}  // namespace

TEST_CASE("panels stay apart and inside at every size and scale") {
  const float width = GENERATE(1024.0F, 1280.0F, 1440.0F, 1600.0F, 1920.0F, 3840.0F);
  const float height = GENERATE(640.0F, 720.0F, 900.0F, 1080.0F, 2160.0F);
  const float asked = GENERATE(0.75F, 1.0F, 2.0F, 3.0F);
  const float scale = fitting_scale(asked, width, height);
  INFO(width << " x " << height << " at " << scale);
  check_places(width, height, scale, {});
}

TEST_CASE("panels stay apart in the smallest windows at the largest text") {
  const float width = GENERATE(300.0F, 640.0F, 800.0F);
  const float height = GENERATE(200.0F, 500.0F);
  const float asked = GENERATE(1.0F, 2.0F, 3.0F);
  const float scale = fitting_scale(asked, width, height);
  INFO(width << " x " << height << " at " << scale);
  CHECK(width / scale >= 239);
  CHECK(height / scale >= 149);
  check_places(width, height, scale, {});
}

TEST_CASE("a divider that is dragged too far leaves every panel its minimum size") {
  const float share = GENERATE(0.01F, 0.2F, 0.5F, 0.8F, 0.99F);
  const auto size = GENERATE(Size{1280, 720}, Size{1600, 900}, Size{3840, 2160});
  Arrangement pulled;
  pulled.shares.fill(share);
  INFO(size.width << " x " << size.height << " pulled to " << share);
  check_places(size.width, size.height, 1, pulled);
}

TEST_CASE("the space of closed docks goes to the other panels") {
  const auto size = GENERATE(Size{800, 500}, Size{1280, 720}, Size{1600, 900});
  const FrameLayout frame = frame_layout(size.width, size.height, 1);
  Arrangement arrangement;
  arrangement.closed.fill(true);
  const LiveLayout live = live_layout(frame, 1, arrangement);
  CHECK(live.speedup.empty());
  CHECK(live.breakdown.empty());
  CHECK(live.ranks.h <= 29);
  CHECK(live.logs.h <= 29);
  CHECK(live.log_closed);
  check_apart({live.events, live.loss, live.accuracy, live.ranks, live.logs}, live.content);
  const LiveLayout open = live_layout(frame, 1);
  CHECK(live.loss.w * live.loss.h >= open.loss.w * open.loss.h);
}

TEST_CASE("a divider follows the mouse, and its share matches its position") {
  const FrameLayout frame = frame_layout(1600, 900, 1);
  const LiveLayout drawn = live_layout(frame, 1);
  for (const SplitHandle& handle : drawn.handles) {
    INFO(name_of(handle.which));
    // At its original position the share is that of the design.
    Arrangement same;
    same.share(handle.which) = share_at(handle, handle.area.middle_x(), handle.area.middle_y());
    const LiveLayout again = live_layout(frame, 1, same);
    CHECK(std::abs(again.loss.h - drawn.loss.h) <= 2);
    CHECK(std::abs(again.loss.w - drawn.loss.w) <= 2);
    CHECK(std::abs(again.ranks.h - drawn.ranks.h) <= 2);
  }
  const auto side =
      std::find_if(drawn.handles.begin(), drawn.handles.end(),
                   [](const auto& handle) { return handle.which == Split::kLiveSide; });
  REQUIRE(side != drawn.handles.end());
  Arrangement wider;
  wider.share(Split::kLiveSide) = share_at(*side, side->area.middle_x() - 100, 0);
  CHECK(std::abs(live_layout(frame, 1, wider).speedup.w - (drawn.speedup.w + 100)) <= 2);
}

TEST_CASE("at 1600 x 900 the panels have the sizes of the design") {
  const FrameLayout frame = frame_layout(1600, 900, 1);
  CHECK(frame.rail.w == 64);
  CHECK_FALSE(frame.narrow);
  const LiveLayout live = live_layout(frame, 1);
  CHECK(live.loss.w == 992);
  CHECK(live.loss.h == 276);
  CHECK(live.accuracy.h == 168);
  CHECK(live.speedup.w == 520);
  CHECK(live.speedup.h == 196);
  CHECK(live.breakdown.h == 248);
  CHECK(live.ranks.h == 172);
  CHECK(live.logs.h == 132);
  const LaunchLayout launch = launch_layout(frame, 1);
  CHECK(launch.devices.w == 640);
  CHECK(launch.form.w == 500);
  CHECK(launch.plan.w == 364);
  CHECK(launch.command.w == 1148);
}

TEST_CASE("at 1280 x 720 the rail has icons only, charts share a panel and the log is a bar") {
  const FrameLayout frame = frame_layout(1280, 720, 1);
  CHECK(frame.narrow);
  CHECK(frame.low);
  CHECK(frame.rail.w == 48);
  const LiveLayout live = live_layout(frame, 1);
  CHECK(live.loss.w == 808);
  CHECK(live.speedup.w == 400);
  CHECK(live.charts_share);
  CHECK(live.logs.h < 32);
  const LaunchLayout launch = launch_layout(frame, 1);
  CHECK(launch.devices.w == 440);
  CHECK(launch.form.w == 412);
  CHECK(launch.plan.w == 348);
}

TEST_CASE("the least important columns are removed first, after bars were narrowed") {
  namespace view = ringside::view;
  constexpr auto kRight = view::Align::kRight;
  std::vector<view::TableColumn> columns{{"a", "a", "", view::Align::kLeft, 100},
                                         {"b", "b", "", kRight, 100, 0, 1},
                                         {"c", "c", "", kRight, 100, 0, 2},
                                         {"d", "long", "", view::Align::kLeft, 100, 40},
                                         {"e", "for scripts", "", kRight, 0}};
  columns[3].short_label = "d";
  const auto fitted = [&columns](float width) { return fit_columns(columns, {}, 10, width, 1); };
  const auto all = fitted(600);
  REQUIRE(all.size() == 4);
  CHECK(all.back().right_edge <= 610);
  CHECK_FALSE(all[3].small);
  const auto smaller = fitted(400);
  REQUIRE(smaller.size() == 4);
  CHECK(smaller[3].small);
  CHECK(smaller[3].head == "d");
  // Columns that do not fit follow after the others at full width, reached by scrolling.
  const auto fewer = fitted(300);
  REQUIRE(fewer.size() == 4);
  CHECK(fewer[1].place == 1);
  CHECK(fewer[2].place == 3);
  CHECK(fewer[2].right_edge <= 310);
  CHECK(fewer[3].place == 2);
  CHECK(fewer[3].x >= 310);
  CHECK(fewer[3].right_edge - fewer[3].x == 100);
}

TEST_CASE("columns that a person chose are removed last") {
  namespace view = ringside::view;
  constexpr auto kRight = view::Align::kRight;
  std::vector<view::TableColumn> columns{{"a", "a", "", view::Align::kLeft, 100},
                                         {"b", "b", "", kRight, 100, 0, 1},
                                         {"c", "c", "", kRight, 100, 0, 9}};
  columns[2].shown = false;
  view::ColumnChoice choice;
  choice.toggle("c");
  const auto fitted = fit_columns(columns, choice, 10, 220, 1);
  REQUIRE(fitted.size() == 3);
  CHECK(fitted[1].place == 2);
  CHECK(fitted[1].right_edge <= 230);
  CHECK(fitted[2].place == 1);
  CHECK(fitted[2].x >= 230);
}

TEST_CASE("the rank table shows a rank between its heads and their sum") {
  const auto size = GENERATE(Size{1200, 800}, Size{1024, 600}, Size{1280, 799}, Size{1920, 801});
  INFO(size.width << " x " << size.height);
  const LiveLayout live = live_layout(frame_layout(size.width, size.height, 1), 1);
  CHECK(live.ranks.h >= 29 + 24 + 23 + 24);
}
