// Panels fill the window without touching, at every size; the numbers at 1600 x 900 are those of
// the drawings.
#include <vector>

#include "gui/ui/layout.h"
#include "gui/ui/table.h"
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

}  // namespace

TEST_CASE("panels stay apart and inside at every size and scale") {
  const float width = GENERATE(1024.0F, 1280.0F, 1440.0F, 1600.0F, 1920.0F, 3840.0F);
  const float height = GENERATE(640.0F, 720.0F, 900.0F, 1080.0F, 2160.0F);
  const float scale = GENERATE(0.75F, 1.0F);
  INFO(width << " x " << height << " at " << scale);
  const FrameLayout frame = frame_layout(width, height, scale);
  const LiveLayout live = live_layout(frame, scale);
  std::vector<Rect> panels{live.events,    live.loss,  live.accuracy, live.speedup,
                           live.breakdown, live.ranks, live.logs};
  if (!live.charts_share) panels.push_back(live.step_time);
  check_apart(panels, frame.main);
  const LaunchLayout launch = launch_layout(frame, scale);
  check_apart(
      {launch.devices, launch.form, launch.plan, launch.preflight, launch.command, launch.launch},
      frame.main);
  const RunsLayout runs = runs_layout(frame, scale, true);
  check_apart({runs.filter, runs.table, runs.side}, frame.main);
}

TEST_CASE("at 1600 x 900 the panels have the sizes of the drawings") {
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

TEST_CASE("columns of the least importance leave first, after bars went") {
  const std::vector<TableColumn> columns{{0, "a", 100, false, 0, 0},
                                         {1, "b", 100, true, 1, 0},
                                         {2, "c", 100, true, 2, 0},
                                         {3, "d", 100, true, 0, 40}};
  const auto all = fit_columns(columns, 10, 600, 1);
  REQUIRE(all.size() == 4);
  CHECK(all.back().right_edge <= 610);
  CHECK_FALSE(all[3].small);
  const auto smaller = fit_columns(columns, 10, 400, 1);
  REQUIRE(smaller.size() == 4);
  CHECK(smaller[3].small);
  const auto fewer = fit_columns(columns, 10, 300, 1);
  REQUIRE(fewer.size() == 3);
  CHECK(fewer[1].id == 1);
  CHECK(fewer[2].id == 3);
}
