// Tests the charts of the Live page: the mouse and the cursor over them, and complete labels.
#include "gui/view/chart/chart_notes.h"
#include "gui/view/live/run_charts.h"
#include "protocol/messages/records.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

void open_with_mouse_on_loss(const OpenDemo& demo, NullScreen& screen) {
  demo.open(screen.input);
  screen.frame();
  const auto plot = screen.find("Loss plot");
  REQUIRE(plot);
  ImGui::GetIO().AddMousePosEvent(plot->area.middle_x(), plot->area.middle_y());
  screen.frame();
}

}  // namespace

TEST_CASE("the wheel zooms the window around the mouse and a double click shows the whole run") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  open_with_mouse_on_loss(demo, screen);
  const model::Window before = view::shown_window(demo.model, screen.input.live.choice);
  CHECK(screen.asked<view::MoveCursor>()->step > 0);
  ImGui::GetIO().AddMouseWheelEvent(0, 1);
  screen.frame();
  const auto zoomed = screen.asked<view::SetWindow>();
  REQUIRE(zoomed);
  CHECK(zoomed->end - zoomed->begin == Approx((before.end - before.begin) * 0.8).epsilon(0.02));
  CHECK(zoomed->begin > before.begin);
  CHECK(zoomed->end < before.end);
}

TEST_CASE("the read-out follows the mouse, while that of an event stays") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  open_with_mouse_on_loss(demo, screen);
  const auto moved = screen.asked<view::MoveCursor>();
  REQUIRE(moved);
  screen.input.live.choice.cursor_step = moved->step;
  screen.frame();
  CHECK_FALSE(screen.asked<view::MoveCursor>());
  ImGui::GetIO().AddMousePosEvent(20, 300);  // over the rail
  screen.frame();
  const auto gone = screen.asked<view::MoveCursor>();
  REQUIRE(gone);
  CHECK(gone->step < 0);
  screen.input.live.choice.cursor_step = 500;
  screen.frame();
  CHECK_FALSE(screen.asked<view::MoveCursor>());
}

TEST_CASE("a note is written at the mouse, edited and removed") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  open_with_mouse_on_loss(demo, screen);
  screen.input.live.context.takes_notes = true;
  screen.input.live.choice.cursor_step = 500;
  screen.press(ImGuiKey_N);
  REQUIRE(screen.asked<view::AskNote>());
  CHECK(screen.asked<view::AskNote>()->step == 500);
  screen.input.sheets.note = 500;
  for (int i = 0; i < 3; ++i) screen.frame();
  CHECK_FALSE(screen.find(view::label::kRemoveNote));
  for (const char letter : std::string("odd")) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    screen.frame();
  }
  screen.press(ImGuiKey_Enter);
  REQUIRE(screen.asked<view::EditLabels>());
  CHECK(screen.asked<view::EditLabels>()->chart_notes ==
        std::vector<runs::ChartNote>{{500, "odd"}});
  CHECK_FALSE(screen.asked<view::AskNote>()->open);
  screen.input.sheets.note.reset();
  screen.input.live.context.notes = {{500, "odd"}};
  for (int i = 0; i < 2; ++i) screen.frame();
  screen.input.sheets.note = 500;
  for (int i = 0; i < 3; ++i) screen.frame();
  CHECK(screen.memory.note.typed == "odd");
  REQUIRE(screen.click(view::label::kRemoveNote));
  CHECK(screen.asked<view::EditLabels>()->chart_notes == std::vector<runs::ChartNote>{{500, ""}});
}

TEST_CASE("a note on Resources is written at the step under the mouse") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.context.takes_notes = true;
  screen.memory.live.table_tab = view::TableTab::kResources;
  screen.frame();
  screen.frame();
  const auto plot = screen.find("GPU %");
  REQUIRE(plot);
  ImGui::GetIO().AddMousePosEvent(plot->area.middle_x(), plot->area.middle_y());
  screen.frame();
  screen.frame();
  screen.press(ImGuiKey_N);
  REQUIRE(screen.asked<view::AskNote>());
  const auto steps = static_cast<double>(demo.model.steps_end());
  CHECK(screen.asked<view::AskNote>()->step > steps * 0.3);
  CHECK(screen.asked<view::AskNote>()->step < steps * 0.7);
}

TEST_CASE("the menu of a chart has an entry for a note where it was opened") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  open_with_mouse_on_loss(demo, screen);
  screen.input.live.context.takes_notes = true;
  ImGui::GetIO().AddMouseButtonEvent(1, true);
  screen.frame();
  ImGui::GetIO().AddMouseButtonEvent(1, false);
  for (int i = 0; i < 3; ++i) screen.frame();
  const double step = screen.memory.live.menu_step;
  CHECK(step > 0);
  const auto entry =
      view::note_entry(demo.model, screen.input.live.context, screen.input.live.choice, step);
  REQUIRE(screen.click(entry->word));
  REQUIRE(screen.asked<view::AskNote>());
  CHECK(screen.asked<view::AskNote>()->step == view::as<view::AskNote>(*entry->command)->step);
}

TEST_CASE("charts can be saved as pictures only while they are on the screen") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  CHECK(screen.memory.live.chart_areas.contains("loss"));
  screen.input.page = view::Page::kRuns;
  screen.frame();
  CHECK(screen.memory.live.chart_areas.empty());
}

TEST_CASE("labels of large and small losses are not cut") {
  auto options = support::demo_small(2);
  options.finish = false;
  options.steps = 100;
  OpenDemo demo(options);
  const bool logarithmic = GENERATE(false, true);
  for (const auto& [step, loss] : {std::pair{100, 0.0001F}, std::pair{101, 2.8e19F}}) {
    for (Rank rank = 0; rank < 2; ++rank) {
      messages::StepReport body;
      body.step = step;
      body.loss = loss;
      body.samples = 1;
      demo.model.accept(
          {0, rank, 100'000U + static_cast<std::uint64_t>(step), demo.model.last_ns() + 1}, body);
    }
  }
  NullScreen screen(1280, 720);
  demo.open(screen.input);
  screen.input.live.choice.logarithmic = logarithmic;
  for (int i = 0; i < 3; ++i) screen.frame();
  bool seen = false;
  const auto plot = screen.find("Loss plot");
  REQUIRE(plot);
  for (const ui::DrawnText& text : ui::drawn_texts()) {
    const bool beside = text.area.right() < plot->area.x && text.area.x > plot->area.x - 60 &&
                        plot->area.contains(plot->area.middle_x(), text.area.middle_y());
    if (!beside) continue;
    INFO(text.text);
    CHECK_FALSE(text.cut);
    CHECK(text.area.x >= plot->area.x - 54);
    seen = seen || text.text.find("e1") != std::string::npos;
  }
  CHECK(seen);
}

TEST_CASE("the right button on a chart saves its picture") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  open_with_mouse_on_loss(demo, screen);
  ImGuiIO& io = ImGui::GetIO();
  io.AddMouseButtonEvent(1, true);
  screen.frame();
  io.AddMouseButtonEvent(1, false);
  screen.frame();
  REQUIRE(screen.click(view::label::kSaveImageSvg));
  const auto asked = screen.asked<view::SaveImage>();
  REQUIRE(asked);
  CHECK(asked->chart == "loss");
  CHECK(asked->vector);
  CHECK(screen.memory.live.chart_areas.contains("accuracy"));
}

TEST_CASE("the three dots of a chart open its menu, with data, axis and smoothing") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  REQUIRE(screen.click("Chart menu"));
  REQUIRE(screen.click(view::label::kCopyData));
  REQUIRE(screen.asked<view::ChartData>());
  CHECK(screen.asked<view::ChartData>()->chart == "loss");
  CHECK(screen.asked<view::ChartData>()->copy);
  REQUIRE(screen.click("Chart menu"));
  REQUIRE(screen.click(view::label::kSmooth));
  REQUIRE(screen.click(view::smoothing_text(200)));
  REQUIRE(screen.asked<view::SetSmoothing>());
  CHECK(screen.asked<view::SetSmoothing>()->steps == 200);
  screen.press(ImGuiKey_X, false, true);
  CHECK(screen.asked<view::SetPlan>().value_or(view::SetPlan{false}).on);
}

TEST_CASE("the box at the cursor is on its left, so that newer values stay visible") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.choice.cursor_step = static_cast<double>(demo.model.steps_end()) * 0.6;
  screen.frame();
  screen.frame();
  const auto plot = screen.find("Loss plot");
  REQUIRE(plot);
  const float cursor = plot->area.x + plot->area.w * 0.6F;
  bool seen = false;
  for (const ui::DrawnText& text : ui::drawn_texts()) {
    const bool inside = plot->area.contains(text.area.middle_x(), text.area.middle_y());
    if (!inside || text.text.find("step ") == std::string::npos) continue;
    seen = true;
    CHECK(text.area.right() < cursor);
  }
  CHECK(seen);
}

TEST_CASE("the box at the cursor is as wide as its words") {
  auto options = support::demo_small(2);
  options.steps_per_epoch = 12'345;
  options.steps = 24'690;
  const OpenDemo demo(options);
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.choice.cursor_step = 20'000;
  screen.frame();
  std::string words;
  for (const ui::DrawnText& text : ui::drawn_texts()) words += text.text + "|";
  INFO(words);
  CHECK(words.find("7,656/12,345|") != std::string::npos);
  CHECK(words.find("  LR |0.02|") != std::string::npos);
}
