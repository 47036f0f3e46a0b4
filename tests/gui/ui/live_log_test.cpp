// Tests the log tab that a run opens with, which failures change it, and selection with the mouse.
#include "gui/view/live/log_view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/view/words.h"
#include "protocol/messages/records.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

/// A run whose rank 0 wrote this output, with a log panel large enough for all of it.
struct OpenLog {
  explicit OpenLog(std::string bytes)
      : text(std::move(bytes)), texts{{0, false, text}}, demo(support::demo_small(2)) {
    demo.open(screen.input);
    screen.input.live.texts = texts;
    screen.memory.live.log.choice.all = false;
    screen.memory.live.log.choice.rank = 0;
    screen.memory.live.log.chosen = true;
    screen.memory.live.log.run = screen.input.live.context.id;
    screen.frame();
    screen.frame();
  }

  /// Area of a text of the log.
  ui::Rect find(const std::string& wanted) {
    screen.frame();
    const auto found = std::ranges::find(ui::drawn_texts(), wanted, &ui::DrawnText::text);
    REQUIRE(found != ui::drawn_texts().end());
    return found->area;
  }
  void move(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    screen.frame();
  }
  void button(bool down, int which = 0) {
    ImGui::GetIO().AddMouseButtonEvent(which, down);
    screen.frame();
  }
  void click(float x, float y, int times = 1) {
    move(x, y);
    for (int i = 0; i < times; ++i) {
      button(true);
      button(false);
    }
  }
  /// Waits so that the next press does not count as a double click.
  void rest() {
    for (int i = 0; i < 40; ++i) screen.frame();
  }
  std::string copied() {
    screen.press(ImGuiKey_C, true);
    const auto copy = screen.asked<view::CopyText>();
    return copy ? copy->text : "";
  }

  std::string text;
  std::vector<view::RankText> texts;
  OpenDemo demo;
  NullScreen screen;
};

}  // namespace

TEST_CASE("lines of the log are selected by dragging, with the shift key, by words and as lines") {
  OpenLog log("loss 0.25 at step one\nloss 0.24 at step two\n");
  const ui::Rect one = log.find("loss 0.25 at step one");
  const ui::Rect two = log.find("loss 0.24 at step two");
  log.move(one.x - 1, one.middle_y());
  log.button(true);
  log.move(two.right() + 20, two.middle_y());
  log.button(false);
  CHECK(log.copied() == "loss 0.25 at step one\nloss 0.24 at step two");
  CHECK_FALSE(log.screen.memory.live.log.follow);
  log.rest();
  log.click(one.x + 1, one.middle_y());
  CHECK(log.copied().empty());
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  log.click(one.right() + 20, one.middle_y());
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  CHECK(log.copied() == "loss 0.25 at step one");
  log.rest();
  log.click(one.x + one.w * 0.3F, one.middle_y(), 2);
  CHECK(log.copied() == "0.25");
  log.rest();
  log.click(two.x - 60, two.middle_y(), 2);
  CHECK(log.copied() == "loss 0.24 at step two");
}

TEST_CASE("the menu of the log copies with and without times, and saves what is shown") {
  OpenLog log("out of memory\n");
  const ui::Rect line = log.find("out of memory");
  const auto choose = [&](const char* word) {
    log.move(line.x + 4, line.middle_y());
    log.button(true, 1);
    log.button(false, 1);
    log.screen.frame();
    REQUIRE(log.screen.click(word));
  };
  choose(view::label::kCopyLines);
  REQUIRE(log.screen.asked<view::CopyText>());
  CHECK(log.screen.asked<view::CopyText>()->text == "out of memory");
  choose(view::label::kCopyTimed);
  CHECK(log.screen.asked<view::CopyText>()->text == "r0 stdout  out of memory");
  choose(view::label::kSaveLines);
  REQUIRE(log.screen.asked<view::SaveLines>());
  CHECK(log.screen.asked<view::SaveLines>()->name == "log_rank_0.txt");
  CHECK(log.screen.asked<view::SaveLines>()->text.find("r0 stdout  out of memory\n") !=
        std::string::npos);
}

TEST_CASE(
    "a long line is selected to its end, and continues in the next row if lines are wrapped") {
  std::string words;
  for (int i = 0; i < 200; ++i) words += "word" + std::to_string(i) + " ";
  OpenLog log(words + "\nshort\n");
  const ui::Rect below = log.find("short");
  const float before = below.y;
  log.move(below.x + 1, below.middle_y() - 19);  // the row above
  log.button(true);
  log.move(4000, below.middle_y() - 19);
  log.button(false);
  CHECK(log.screen.memory.live.log.selection.anchor.byte == 0);
  CHECK(log.screen.memory.live.log.selection.head.byte == words.size());
  log.screen.memory.live.log.selection = {};
  log.screen.memory.live.log.follow = true;
  log.screen.memory.live.log.wrap = true;
  log.screen.frame();
  log.screen.frame();
  CHECK(log.find("short").y >= before);  // follow mode keeps its end visible
  const auto rows = log.screen.memory.live.log.rows.first;
  REQUIRE(rows.size() >= 3);
  CHECK(rows.back() > rows.size());
}

TEST_CASE("the log of the next run begins with all its ranks") {
  support::DemoOptions options = support::demo_small(4);
  options.killed_rank = 3;
  const OpenDemo failed(options);
  const OpenDemo other(support::demo_small(2));
  NullScreen screen;
  failed.open(screen.input);
  screen.frame();
  CHECK(screen.memory.live.log.choice.rank == 3);
  other.open(screen.input);
  screen.input.live.context.id = "20261121T140000Z-aaaaaa";
  screen.frame();
  CHECK(screen.memory.live.log.choice.all);
  REQUIRE(screen.click(view::rank_name(1)));
  failed.open(screen.input);  // a tab that was chosen by hand belongs to the other run
  screen.frame();
  CHECK(screen.memory.live.log.choice.rank == 3);
}

TEST_CASE(
    "the selected log of a rank is replaced by all logs if a node turns out to be the cause") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  OpenDemo demo(options);
  NullScreen screen;
  std::uint64_t seq = 100'000;
  const auto fail = [&](Rank about, const std::string& text) {
    messages::RankState failed;
    failed.state = messages::State::kFailed;
    failed.about = about;
    failed.text = text;
    demo.model.accept({0, kNoRank, seq++, demo.model.last_ns() + 1}, failed);
    demo.open(screen.input);
    screen.frame();
  };
  fail(2, "rank 2: exit code 1: Connection closed by peer");
  CHECK(screen.memory.live.log.choice.rank == 2);
  const bool by_hand = GENERATE(false, true);
  if (by_hand) REQUIRE(screen.click(view::rank_name(2)));
  fail(kNoRank, "node 1 (b): no message came from its agent for 30 s");
  CHECK(screen.memory.live.log.choice.all == !by_hand);
}
