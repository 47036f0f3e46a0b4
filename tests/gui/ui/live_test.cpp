// Every panel of the Live page with runs of all sizes and conditions, and the commands of its
// controls.
#include <algorithm>

#include "gui/view/command.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "protocol/messages/records.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

/// Checks that controls are on the screen and that controls of one window do not overlap unless one
/// is inside the other.
void check_controls(const NullScreen& screen) {
  const auto& items = ui::items();
  REQUIRE(!items.empty());
  for (const ui::Item& item : items) {
    INFO(item.label << " in " << item.window);
    CHECK(item.area.x >= -1);
    CHECK(item.area.y >= -1);
    CHECK(item.area.right() <= screen.size().x + 1);
    CHECK(item.area.bottom() <= screen.size().y + 1);
  }
}

support::DemoOptions run_of(const std::string& kind) {
  if (kind == "one rank") return support::demo_small(1);
  if (kind == "eight ranks") return support::demo_small(8);
  if (kind == "64 ranks") {
    auto options = support::demo_small(64);
    options.nodes = 8;
    return options;
  }
  if (kind == "no step yet") {
    auto options = support::demo_run();
    options.steps = 0;
    return options;
  }
  if (kind == "failed") {
    auto options = support::demo_small(4);
    options.killed_rank = 3;
    options.finish = false;
    return options;
  }
  if (kind == "NaN") {
    auto options = support::demo_small(4);
    options.nan_from = 50;
    return options;
  }
  if (kind == "holes") {
    auto options = support::demo_small(4);
    options.lose_every = 7;
    return options;
  }
  return support::demo_run();
}

}  // namespace

TEST_CASE("every panel of the Live page draws every kind of run at every size") {
  const std::string kind = GENERATE(as<std::string>(), "four ranks", "one rank", "eight ranks",
                                    "64 ranks", "no step yet", "failed", "NaN", "holes");
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(2560, 1440));
  const OpenDemo demo(run_of(kind));
  NullScreen screen(size.x, size.y);
  demo.open(screen.input);
  INFO(kind << " at " << size.x << " x " << size.y);
  for (int i = 0; i < 3; ++i) screen.frame();
  check_controls(screen);
  CHECK(screen.vertices() > 2000);
  CHECK(screen.find(view::label::kExport));
  CHECK(screen.find("Loss plot"));
  CHECK(screen.find(view::name_of(view::Page::kLaunch)));
}

TEST_CASE("the page draws a run without any record, and no run") {
  NullScreen screen;
  const model::RunModel empty;
  screen.input.page = view::Page::kLive;
  screen.input.live.model = &empty;
  screen.input.live.context.id = "20261121T134005Z-000000";
  screen.frame();
  screen.frame();
  check_controls(screen);
  CHECK(screen.find("Loss plot"));
  screen.input.live.model = nullptr;
  screen.frame();
  CHECK_FALSE(screen.find("Loss plot"));
  REQUIRE(screen.click(view::label::kGoToRuns));
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kRuns);
}

TEST_CASE("the light theme and text from 75 to 300 % draw the same controls") {
  const float scale = GENERATE(0.75F, 1.5F, 3.0F);
  const OpenDemo demo(support::demo_run());
  NullScreen screen(1600 * std::max(1.0F, scale), 900 * std::max(1.0F, scale), scale, true);
  demo.open(screen.input);
  screen.frame();
  screen.frame();
  check_controls(screen);
  CHECK(screen.find(view::name_of(view::XAxis::kEpoch)));
}

TEST_CASE("switches of the Live page send the command of their label") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  REQUIRE(screen.click(view::name_of(view::XAxis::kStep)));
  CHECK(screen.asked<view::SetXAxis>()->axis == view::XAxis::kStep);
  REQUIRE(screen.click(view::label::kLogarithmic));
  CHECK(screen.asked<view::SetLogScale>()->on);
  REQUIRE(screen.click(view::label::kWholeStep));
  CHECK(screen.asked<view::SetStepTimeWhole>()->whole);
  REQUIRE(screen.click("r2"));
  CHECK(screen.asked<view::ToggleRank>()->rank == 2);
  REQUIRE(screen.click(view::label::kExport));
  CHECK(screen.asked<view::AskExport>()->ids.empty());
  CHECK(screen.asked<view::AskExport>()->open);
  REQUIRE(screen.click(view::name_of(view::Page::kRuns)));
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kRuns);
  REQUIRE(screen.click("Devices"));
  CHECK(screen.memory.live.table_tab == view::TableTab::kDevices);
  REQUIRE(screen.click("Copy##table"));
  CHECK(screen.asked<view::CopyText>()->text.starts_with("Device\tUUID"));
  REQUIRE(screen.click("Resources"));
  CHECK(screen.find("GPU %"));
  REQUIRE(screen.click("Ranks"));
  REQUIRE(screen.click("Sort by Step loss"));
  CHECK(screen.memory.live.rank_sort.key == "loss");
  CHECK(screen.memory.live.rank_sort.descending);
  REQUIRE(screen.click(view::rank_name(2)));
  CHECK(screen.memory.live.log.choice.rank == 2);
  CHECK_FALSE(screen.memory.live.log.choice.all);
}

TEST_CASE("the switch of the loss scale shows the drawn scale, not the requested one") {
  auto options = support::demo_small(1);
  options.steps = 100;
  options.finish = false;
  OpenDemo demo(options);
  messages::StepReport perfect;
  perfect.step = 100;
  perfect.loss = 0;
  demo.model.accept({0, 0, 100'000, demo.model.last_ns() + 1'000'000}, perfect);
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.choice.logarithmic = true;
  REQUIRE(screen.click(view::label::kLogarithmic));
  REQUIRE(screen.asked<view::SetLogScale>());
  CHECK(screen.asked<view::SetLogScale>()->on);
  // The linear scale is drawn automatically, not by choice.
  REQUIRE(screen.click(view::label::kLinear));
  REQUIRE(screen.asked<view::SetLogScale>());
  CHECK_FALSE(screen.asked<view::SetLogScale>()->on);
}

TEST_CASE("a queued run can be cancelled, and a custom program is not promised a checkpoint") {
  const bool queued = GENERATE(true, false);
  messages::RunSpec spec;
  if (!queued) spec.program.argv = {"python", "train.py"};
  model::RunModel model(spec);
  messages::RankState state;
  state.state = queued ? messages::State::kQueued : messages::State::kTraining;
  model.accept({0, kNoRank, 0, 1}, messages::Record(state));
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.model = &model;
  screen.input.sheets.stop = true;
  screen.frame();
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kCheckpointAndStop));
  CHECK(screen.find(view::label::kStopNow).has_value() != queued);
  CHECK(screen.find(view::label::kKeepWaiting).has_value() == queued);
  REQUIRE(screen.click(queued ? view::label::kLeaveQueue : view::label::kAskToEnd));
  CHECK(screen.asked<view::StopRun>()->mode == view::StopMode::kCheckpoint);
}

TEST_CASE("stopping asks first, and each answer is its own command") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  REQUIRE(screen.click(view::label::kStop));
  REQUIRE(screen.asked<view::AskStop>());
  CHECK_FALSE(screen.asked<view::StopRun>());
  screen.input.sheets.stop = true;
  screen.frame();
  screen.frame();
  SECTION("with a checkpoint") {
    REQUIRE(screen.click(view::label::kCheckpointAndStop));
    CHECK(screen.asked<view::StopRun>()->mode == view::StopMode::kCheckpoint);
    CHECK(screen.asked<view::StopRun>()->id == screen.input.live.context.id);
  }
  SECTION("now") {
    REQUIRE(screen.click(view::label::kStopNow));
    CHECK(screen.asked<view::StopRun>()->mode == view::StopMode::kNow);
  }
  SECTION("Enter gives the highlighted answer") {
    screen.press(ImGuiKey_Enter);
    REQUIRE(screen.asked<view::StopRun>());
    CHECK(screen.asked<view::StopRun>()->mode == view::StopMode::kCheckpoint);
  }
  SECTION("not at all") {
    REQUIRE(screen.click(view::label::kKeepTraining));
    CHECK_FALSE(screen.asked<view::StopRun>());
    CHECK_FALSE(screen.asked<view::AskStop>()->open);
  }
  SECTION("Escape keeps training") {
    screen.press(ImGuiKey_Escape);
    CHECK_FALSE(screen.asked<view::StopRun>());
    CHECK_FALSE(screen.asked<view::AskStop>()->open);
  }
}

TEST_CASE("keys act, but not while a text field has the focus") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  screen.press(ImGuiKey_1);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kLaunch);
  screen.press(ImGuiKey_X);
  CHECK(screen.asked<view::SetXAxis>()->axis == view::XAxis::kTime);
  screen.press(ImGuiKey_E, true);
  CHECK(screen.asked<view::AskExport>());
  screen.press(ImGuiKey_S, true, true);
  CHECK(screen.asked<view::AskStop>()->open);
  screen.press(ImGuiKey_Slash, false, true);
  CHECK(screen.asked<view::ShowKeys>()->on);
  REQUIRE(screen.click("##log filter"));
  screen.press(ImGuiKey_1);
  CHECK_FALSE(screen.asked<view::SelectPage>());
}

TEST_CASE("a panel is rebuilt only when what it shows has changed") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  const unsigned long first = screen.memory.view_builds();
  CHECK(first > 0);
  for (int i = 0; i < 5; ++i) screen.frame();
  CHECK(screen.memory.view_builds() == first);
  screen.input.live.choice.logarithmic = true;
  screen.frame();
  CHECK(screen.memory.view_builds() > first);
  CHECK(screen.memory.view_builds() <= first + 3);
}

TEST_CASE("a live run can be paused and continued, and its events lead to their steps") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  REQUIRE(screen.click(std::string(view::label::kPause) + "###pause"));
  CHECK(screen.asked<view::Pause>()->on);
  screen.input.live.context.paused = true;
  ++screen.input.live.number_revision;
  REQUIRE(screen.click(std::string(view::label::kBackToLive) + "###pause"));
  CHECK_FALSE(screen.asked<view::Pause>()->on);
  REQUIRE(screen.click("Events"));
  screen.frame();
  REQUIRE(screen.click("Moment 0"));
  CHECK(screen.asked<view::JumpTo>()->step > 0);
}

TEST_CASE("a replay has a speed and seeks to where its bar is clicked") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.context.contact = view::Contact::kReplay;
  screen.input.live.context.replaying = true;
  screen.input.live.context.replay_speed = 4;
  REQUIRE(screen.click("Replay position"));
  CHECK(screen.asked<view::SeekReplay>()->share == Approx(0.5).margin(0.02));
  REQUIRE(screen.click("4×###replay speed"));
  screen.frame();
  REQUIRE(screen.click("100×"));
  CHECK(screen.asked<view::SetReplaySpeed>()->speed == 100);
}

TEST_CASE("smoothing is chosen from a list, a grid replaces the table for many ranks") {
  const OpenDemo demo(support::demo_small(64));
  NullScreen screen;
  demo.open(screen.input);
  REQUIRE(screen.click(view::smoothing_label(0) + "###smooth"));
  screen.frame();
  REQUIRE(screen.click(view::smoothing_text(50)));
  CHECK(screen.asked<view::SetSmoothing>()->steps == 50);
  REQUIRE(screen.click("Cell r17"));
  CHECK(screen.asked<view::ShowOnlyRank>()->rank == 17);
  screen.input.live.choice.smoothing = 50;
  screen.frame();
  CHECK(screen.find(view::smoothing_label(50) + "###smooth"));
}

TEST_CASE(
    "the command palette opens with its key, searches while typing and runs the chosen command") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.press(ImGuiKey_K, true);
  REQUIRE(screen.asked<view::ShowPalette>());
  screen.input.sheets.palette = true;
  screen.frame();
  screen.frame();
  for (const char c : std::string("whole run"))
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  screen.frame();
  screen.frame();
  CHECK(screen.find(view::label::kShowWholeRun));
  CHECK_FALSE(screen.find(view::label::kQuit));
  screen.press(ImGuiKey_Enter);
  CHECK(screen.asked<view::WholeRun>());
  CHECK_FALSE(screen.asked<view::ShowPalette>()->on);
  screen.input.sheets.palette = false;
  screen.frame();
  screen.frame();
  screen.press(ImGuiKey_Q, true);
  CHECK(screen.asked<view::Quit>());
}

TEST_CASE("a run that failed can be resumed from the bar above it") {
  support::DemoOptions options = support::demo_small(2);
  options.killed_rank = 1;
  const OpenDemo demo(options);
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.context.contact = view::Contact::kEnded;
  REQUIRE(screen.click(view::label::kResume));
  CHECK(screen.asked<view::ResumeRun>());
  CHECK(screen.memory.live.log.choice.rank == 1);  // the failed rank's log is selected
}

TEST_CASE("the banner leads to its event, can be dismissed, and returns with a new event") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  REQUIRE(screen.click("Banner"));
  REQUIRE(screen.asked<view::JumpTo>());
  CHECK(screen.asked<view::JumpTo>()->step > 0);
  REQUIRE(screen.click(view::label::kDismiss));
  CHECK(screen.asked<view::DismissAlerts>());
  for (const auto& alert : view::alerts_of(demo.model, screen.input.live.context))
    screen.input.live.context.dismissed.push_back(analysis::key_of(alert));
  ++screen.input.live.number_revision;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kDismiss));
  CHECK_FALSE(screen.find("Banner"));
  REQUIRE(screen.click("Events"));
  screen.frame();
  CHECK(screen.find("Moment 0"));  // still in the list
  screen.press(ImGuiKey_Escape);
  screen.input.live.context.log_problem = "No space left on device";
  ++screen.input.live.number_revision;
  screen.frame();
  CHECK(screen.find(view::label::kDismiss));
}

TEST_CASE("the settings of alerts change what their labels say") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  REQUIRE(screen.click("Events"));
  screen.frame();
  REQUIRE(screen.click(view::label::kAlertSettings));
  REQUIRE(screen.asked<view::ShowAlertSettings>());
  screen.input.sheets.alerts = true;
  screen.input.alerts = view::build_alert_settings({});
  screen.input.alerts.command = "/bin/true";
  screen.input.alerts.can_try = true;
  screen.frame();
  screen.frame();
  check_controls(screen);
  const auto diverged = static_cast<std::size_t>(analysis::AlertRule::kDiverged);
  REQUIRE(screen.click("Rule " + screen.input.alerts.rules[diverged].word));
  CHECK(screen.asked<view::SetAlertRule>()->rule == diverged);
  CHECK_FALSE(screen.asked<view::SetAlertRule>()->on);
  REQUIRE(screen.click(view::label::kDesktopNotifications));
  CHECK(screen.asked<view::SetAlertNotify>()->on);
  REQUIRE(screen.click("##alert command"));
  for (const char c : std::string(" -x"))
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  screen.frame();
  screen.frame();
  REQUIRE(screen.click(view::label::kUseCommand));
  CHECK(screen.asked<view::SetAlertCommand>());
  REQUIRE(screen.click(view::label::kTryAlerts));
  CHECK(screen.asked<view::TryAlerts>());
  REQUIRE(screen.click(view::label::kCloseAlerts));
  CHECK_FALSE(screen.asked<view::ShowAlertSettings>()->on);
}

TEST_CASE("a name of any characters is drawn within the window") {
  for (const std::string& name :
       {std::string("\u202Egnp.evil \u2066x"), std::string("日本語 🦀 \u0301\u0301\u0301"),
        std::string("line\nbreak\ttab\x1b[31m\xff\xfe"), std::string(4096, 'W'),
        std::string("%s%n ##id ###id"), std::string()}) {
    auto spec = support::demo_spec(support::demo_small(2));
    spec.name = name;
    model::RunModel model(spec);
    support::play_demo(support::demo_small(2), model);
    NullScreen screen(1280, 720);
    screen.input.page = view::Page::kLive;
    screen.input.live.model = &model;
    screen.input.live.context.id = "20261121T134005Z-7f3a1c";
    for (int i = 0; i < 3; ++i) screen.frame();
    check_controls(screen);
    CHECK(screen.find(view::label::kExport));
  }
}

TEST_CASE("columns of the rank table can be hidden and shown from a list, also with the keyboard") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  REQUIRE(screen.find("Sort by Grad norm"));
  REQUIRE(screen.click("Columns"));
  CHECK_FALSE(screen.find("Rank"));
  REQUIRE(screen.click("Grad norm"));
  const auto toggle = screen.asked<view::ToggleColumn>();
  REQUIRE(toggle);
  CHECK(toggle->key == "grad_norm");
  screen.memory.arrangement.rank_columns.toggle(toggle->key);
  screen.frame();
  CHECK_FALSE(screen.find("Sort by Grad norm"));
  CHECK(screen.find("Sort by Step loss"));
  // The list stays open for the next choice.
  CHECK(screen.find("Grad norm"));
  screen.press(ImGuiKey_DownArrow);
  screen.press(ImGuiKey_Space);
  CHECK(screen.asked<view::ToggleColumn>());
}

TEST_CASE("another baseline can be chosen among the runs of the same work") {
  const OpenDemo baseline(support::demo_small(1));
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline.model, "first", 1};
  screen.input.live.baseline_revision = baseline.model.revision();
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kChangeBaseline));
  screen.input.live.context.baselines = {{"first", "#1, 1 rank, 0:20"},
                                         {"second", "#2, 1 rank, 0:21"}};
  ++screen.input.live.number_revision;
  REQUIRE(screen.click(view::label::kChangeBaseline));
  REQUIRE(screen.click("#2, 1 rank, 0:21"));
  REQUIRE(screen.asked<view::CompareWith>());
  CHECK(screen.asked<view::CompareWith>()->id == "second");
}

TEST_CASE("a text that was cut is shown in full while the mouse rests on it") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen(800, 500);
  demo.open(screen.input);
  screen.frame();
  screen.frame();
  const auto& texts = ui::drawn_texts();
  const auto cut = std::find_if(texts.begin(), texts.end(), [](const ui::DrawnText& text) {
    return text.text.ends_with("…") && text.text.size() > 8 && !text.visible.empty();
  });
  REQUIRE(cut != texts.end());
  const std::string begin = cut->text.substr(0, cut->text.size() - std::string("…").size());
  ImGui::GetIO().AddMousePosEvent(cut->visible.middle_x(), cut->visible.middle_y());
  for (int i = 0; i < 60; ++i) screen.frame();
  const auto shown = std::find_if(texts.begin(), texts.end(), [](const ui::DrawnText& text) {
    return text.window.find("Tooltip") != std::string::npos;
  });
  REQUIRE(shown != texts.end());
  CHECK(shown->text.find(begin) != std::string::npos);
  CHECK(shown->text.find("…") == std::string::npos);
  // The tooltip disappears with the mouse.
  ImGui::GetIO().AddMousePosEvent(1, 1);
  screen.frame();
  screen.frame();
  for (const ui::DrawnText& text : ui::drawn_texts())
    CHECK(text.window.find("Tooltip") == std::string::npos);
}
