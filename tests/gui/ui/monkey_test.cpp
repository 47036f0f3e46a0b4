// Somebody who presses everything: random mouse, wheel, keys and letters on every kind of run and
// size, with what is asked for carried out as far as the screen can tell. Nothing may break, and
// every frame must be drawn. RINGSIDE_MONKEY_SEED makes it another monkey: a loop over seeds in the
// asan preset is the long run.
#include <cmath>
#include <cstdlib>
#include <deque>
#include <random>

#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

/// The part of the session that changes what the screen is given.
void carry_out(const view::Command& command, ui::ScreenInput& input) {
  view::ChartChoice& choice = input.live.choice;
  if (const auto* place = std::get_if<view::SelectPlace>(&command)) input.place = place->place;
  if (const auto* keys = std::get_if<view::ShowKeys>(&command)) input.showing_keys = keys->on;
  if (const auto* open = std::get_if<view::ShowPalette>(&command)) input.showing_palette = open->on;
  if (const auto* ask = std::get_if<view::AskStop>(&command)) input.asking_stop = ask->open;
  if (const auto* shown = std::get_if<view::ShowAlertSettings>(&command)) {
    input.showing_alerts = shown->on;
    input.alerts = view::build_alert_settings(input.live.context.rules_off);
  }
  if (const auto* rule = std::get_if<view::SetAlertRule>(&command)) {
    input.live.context.rules_off.set(rule->rule, !rule->on);
    input.alerts = view::build_alert_settings(input.live.context.rules_off);
  }
  if (const auto* ask = std::get_if<view::AskExport>(&command)) input.exporting.asking = ask->open;
  if (const auto* axis = std::get_if<view::SetXAxis>(&command)) choice.axis = axis->axis;
  if (const auto* scale = std::get_if<view::SetLogScale>(&command)) choice.logarithmic = scale->on;
  if (const auto* smooth = std::get_if<view::SetSmoothing>(&command))
    choice.smoothing = smooth->steps;
  if (const auto* window = std::get_if<view::SetWindow>(&command))
    choice.window = {window->begin, window->end};
  if (std::holds_alternative<view::WholeRun>(command)) choice.window = {};
  if (const auto* cursor = std::get_if<view::MoveCursor>(&command))
    choice.cursor_step = cursor->step;
  if (const auto* only = std::get_if<view::ShowOnlyRank>(&command)) choice.hidden = {only->rank};
  if (std::holds_alternative<view::ShowAllRanks>(command)) choice.hidden.clear();
  if (const auto* paused = std::get_if<view::Pause>(&command))
    input.live.context.paused = paused->on;
  view::RunsChoice& runs = input.runs.choice;
  if (const auto* filter = std::get_if<view::SetRunFilter>(&command)) runs.filter = filter->text;
  if (const auto* sort = std::get_if<view::SortRuns>(&command))
    runs.sort = static_cast<view::RunColumn>(sort->column);
  if (const auto* select = std::get_if<view::SelectRun>(&command)) runs.selected = select->id;
  if (const auto* mark = std::get_if<view::MarkRun>(&command)) {
    if (mark->on) runs.marked.insert(mark->id);
    if (!mark->on) runs.marked.erase(mark->id);
  }
  if (std::holds_alternative<view::ClearMarks>(command)) runs.marked.clear();
  ++input.live.number_revision;
}

class Monkey {
 public:
  Monkey(NullScreen& screen, unsigned seed) : screen_(screen), random_(seed) {}

  void act() {
    ImGuiIO& io = ImGui::GetIO();
    const ImVec2 size = screen_.size();
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        io.AddMousePosEvent(size.x * share(), size.y * share());
        break;
      case 3:
        io.AddMouseButtonEvent(below(12) == 0 ? 1 : 0, below(2) == 0);
        break;
      case 4:
        io.AddMouseWheelEvent(0, share() * 4 - 2);
        break;
      case 5:
        io.AddInputCharacter(static_cast<unsigned>(below(6) == 0 ? 0x2603 : 32 + below(90)));
        break;
      default: {
        const auto key = static_cast<ImGuiKey>(
            static_cast<int>(ImGuiKey_NamedKey_BEGIN) +
            below(static_cast<int>(ImGuiKey_F12) - static_cast<int>(ImGuiKey_NamedKey_BEGIN)));
        if (below(4) == 0) io.AddKeyEvent(ImGuiMod_Ctrl, below(2) == 0);
        io.AddKeyEvent(key, true);
        io.AddKeyEvent(key, false);
        break;
      }
    }
    screen_.frame();
    for (const view::Command& command : screen_.commands()) carry_out(command, screen_.input);
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  float share() { return static_cast<float>(random_() % 1000) / 999.0F; }

  NullScreen& screen_;
  std::mt19937 random_;
};

unsigned seed() {
  const char* asked = std::getenv("RINGSIDE_MONKEY_SEED");
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 7U;
}

}  // namespace

TEST_CASE("a monkey at the keyboard breaks nothing") {
  const int kind = GENERATE(0, 1, 2, 3, 4);
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(300, 200));
  support::DemoOptions options = support::demo_small(kind == 0 ? 1 : kind == 1 ? 8 : 64);
  if (kind == 3) options.killed_rank = 5;
  if (kind == 4) options.nan_from = 20;
  const OpenDemo demo(options);
  NullScreen screen(size.x, size.y);
  demo.open(screen.input);
  std::vector<view::RunSummary> runs(20);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].id = "20261121T13401" + std::to_string(i) + "Z-7f3a1c";
    runs[i].number = static_cast<int>(i) + 1;
    runs[i].title = "größer ☃ " + std::string(i * 7, 'x');
  }
  const std::vector<view::ComparedRun> compared{{&demo.model, {}}, {&demo.model, {}}};
  const view::LaunchForm form;
  const view::MachineSummary machine;
  screen.input.runs.runs = runs;
  screen.input.runs.compared = compared;
  screen.input.launch.form = &form;
  screen.input.launch.machine = &machine;
  Monkey monkey(screen, seed() * 10U + static_cast<unsigned>(kind));
  for (int i = 0; i < 300; ++i) monkey.act();
  CHECK(screen.vertices() > 100);
  CHECK(std::isfinite(ImGui::GetIO().MousePos.x));
}
