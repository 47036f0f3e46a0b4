// The Metrics tab: drawing any number of names and ranks, its controls, and how few charts it
// builds.
#include <algorithm>
#include <cmath>

#include "gui/view/live/metrics_view.h"
#include "protocol/messages/records.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

OpenDemo demo_with(Rank ranks, int names) {
  auto options = support::demo_small(ranks);
  options.metrics = names;
  return OpenDemo(options);
}

std::size_t charts_drawn() {
  const auto& items = ui::items();
  return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), [](const auto& item) {
    return item.label.starts_with("Metric ");
  }));
}

void open_metrics(const OpenDemo& demo, NullScreen& screen) {
  demo.open(screen.input);
  REQUIRE(screen.click(view::name_of(view::TableTab::kMetrics)));
  screen.frame();
}

}  // namespace

TEST_CASE("metrics of any number of names and ranks are drawn at every size") {
  const Rank ranks = GENERATE(1, 8, 64);
  const int names = GENERATE(0, 1, 7, 40);
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(2560, 1440));
  const OpenDemo demo = demo_with(ranks, names);
  NullScreen screen(size.x, size.y);
  screen.memory.live.table_tab = view::TableTab::kMetrics;
  demo.open(screen.input);
  INFO(ranks << " ranks, " << names << " names at " << size.x);
  for (int i = 0; i < 3; ++i) screen.frame();
  CHECK((charts_drawn() > 0) == (names > 0));
  CHECK(screen.find("##metric search").has_value() == (names > 0));
}

TEST_CASE(
    "with 200 names only charts on the screen are built, and rebuilt only when their data "
    "changed") {
  OpenDemo demo = demo_with(8, 200);
  NullScreen screen;
  open_metrics(demo, screen);
  const auto& charts = screen.memory.live.metrics.charts;
  const std::size_t drawn = charts_drawn();
  CHECK(drawn >= 5);
  CHECK(drawn < 30);
  const unsigned long built = charts.builds();
  CHECK(built <= 2 * drawn);  // the scroll bar in the second frame makes them narrower
  for (int i = 0; i < 5; ++i) screen.frame();
  CHECK(charts.builds() == built);
  demo.model.accept({0, 0, 1'000'000, demo.model.last_ns() + 1},
                    messages::Scalar{"train/top5", 120, 0.9});
  demo.model.accept({0, 0, 1'000'001, demo.model.last_ns() + 1},
                    messages::Scalar{"layer_150/weight_norm", 120, 0.9});
  ++screen.input.live.chart_revision;
  screen.frame();
  CHECK(charts.builds() == built);
  ++screen.input.live.number_revision;
  screen.frame();
  CHECK(charts.builds() == built + 1);
}

TEST_CASE("metrics are scrolled with the wheel, searched, sorted and pinned") {
  const OpenDemo demo = demo_with(2, 60);
  NullScreen screen;
  open_metrics(demo, screen);
  ui::MetricsMemory& memory = screen.memory.live.metrics;
  const auto first = screen.find("Metric images_per_s");
  REQUIRE(first);
  ImGui::GetIO().AddMousePosEvent(first->area.middle_x(), first->area.middle_y());
  screen.frame();
  ImGui::GetIO().AddMouseWheelEvent(0, -8);
  for (int i = 0; i < 30; ++i) screen.frame();
  CHECK_FALSE(screen.find("Metric images_per_s"));
  CHECK(charts_drawn() > 0);
  REQUIRE(screen.click("##metric search"));
  for (const char letter : std::string("TOP5"))
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
  // Waits until the typed text was searched for and the list is scrolled to the top.
  for (int i = 0; i < 4; ++i) screen.frame();
  CHECK(memory.choice.search == "TOP5");
  CHECK(charts_drawn() == 1);
  REQUIRE(screen.click("Pin"));
  CHECK(memory.choice.pinned == std::vector<std::string>{"train/top5"});
  memory.choice.search.clear();
  REQUIRE(screen.click("Name"));
  CHECK(memory.choice.order == view::MetricOrder::kName);
  screen.frame();
  const auto pinned = screen.find("Metric train/top5");
  const auto next = screen.find("Metric amp/loss_scale");
  REQUIRE(pinned);
  REQUIRE(next);
  CHECK(pinned->area.x < next->area.x);
  CHECK(pinned->area.y == next->area.y);
}

TEST_CASE("arbitrary names and values are drawn") {
  OpenDemo demo(support::demo_small(2));
  std::uint64_t seq = 1'000'000;
  for (const char* name : {"", "##", "a###b", "%s%n", "two\nlines", "same", "\xff\xfe"}) {
    for (const double value : {1e300, -1e300, 0.0, std::nan(""), HUGE_VAL}) {
      for (Rank rank = kNoRank; rank < 2; ++rank)
        demo.model.accept({0, rank, seq++, demo.model.last_ns() + 1},
                          messages::Scalar{name, static_cast<Step>(seq) * 1'000'000, value});
    }
  }
  NullScreen screen;
  open_metrics(demo, screen);
  CHECK(charts_drawn() > 3);
}
