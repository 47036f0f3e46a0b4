// Tests the sheets, the dividers between panels and the docks: their commands, and that the sheet
// of keys lists every key.
#include <algorithm>
#include <string>

#include "gui/ui/layout.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

void drag(NullScreen& screen, float x, float y, float dx, float dy) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(x, y);
  screen.frame();
  io.AddMouseButtonEvent(0, true);
  screen.frame();
  io.AddMousePosEvent(x + dx * 0.5F, y + dy * 0.5F);
  screen.frame();
  io.AddMousePosEvent(x + dx, y + dy);
  screen.frame();
  io.AddMouseButtonEvent(0, false);
  screen.frame();
  screen.frame();
}

}  // namespace

TEST_CASE("dividers between panels are dragged, and a double click resets them") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  screen.frame();
  const auto plot = screen.find("Loss plot");
  const auto handle = screen.find("Split live_side");
  REQUIRE(plot);
  REQUIRE(handle);
  const float x = handle->area.middle_x();
  const float y = handle->area.middle_y();
  drag(screen, x, y, -150, 0);
  CHECK(screen.memory.arrangement.share(ui::Split::kLiveSide) > 0.4F);
  CHECK(screen.find("Loss plot")->area.w == Approx(plot->area.w - 150).margin(4));
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(x - 150, y);
  screen.frame();
  for (int i = 0; i < 2; ++i) {
    io.AddMouseButtonEvent(0, true);
    screen.frame();
    io.AddMouseButtonEvent(0, false);
    screen.frame();
  }
  screen.frame();
  CHECK(screen.memory.arrangement == ui::Arrangement{});
  CHECK(screen.find("Loss plot")->area.w == plot->area.w);
}

TEST_CASE("a page that is too large for its window scrolls, and the wheel does not zoom there") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen(640, 400);
  demo.open(screen.input);
  screen.frame();
  screen.frame();
  const auto plot = screen.find("Loss plot");
  REQUIRE(plot);
  CHECK_FALSE(screen.find("Sort by Step loss"));  // below the visible part
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(plot->area.middle_x(), plot->area.y + 20);
  screen.frame();
  io.AddMouseWheelEvent(0, -1);
  screen.frame();
  CHECK_FALSE(screen.asked<view::SetWindow>());
  for (int i = 0; i < 60 && !screen.find("Sort by Step loss"); ++i) {
    io.AddMouseWheelEvent(0, -3);
    screen.frame();
  }
  CHECK(screen.find("Sort by Step loss"));
}

TEST_CASE("T shows the next tab of the tables, and the first one after the last") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  for (int i = 1; i <= static_cast<int>(view::TableTab::kCount); ++i) {
    screen.press(ImGuiKey_T);
    const auto next = static_cast<view::TableTab>(i % static_cast<int>(view::TableTab::kCount));
    REQUIRE(screen.asked<view::ShowTable>()->tab == next);
    screen.memory.live.table_tab = next;
  }
}

TEST_CASE("docks are closed and opened from their corners, with L and from the commands") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen;
  demo.open(screen.input);
  REQUIRE(screen.click("##dock ranks"));
  CHECK(screen.asked<view::ToggleDock>()->dock == view::Dock::kRanks);
  screen.memory.arrangement.closed[static_cast<std::size_t>(view::Dock::kRanks)] = true;
  screen.frame();
  CHECK_FALSE(screen.find("Sort by Step loss"));
  REQUIRE(screen.click("##dock ranks"));  // its header is still drawn
  CHECK(screen.asked<view::ToggleDock>()->dock == view::Dock::kRanks);
  screen.press(ImGuiKey_L);
  CHECK(screen.asked<view::ToggleDock>()->dock == view::Dock::kLogs);
  screen.memory.arrangement.closed.fill(true);
  screen.frame();
  CHECK_FALSE(screen.find("##log filter"));
  REQUIRE(screen.click("Open log"));
  CHECK(screen.asked<view::ToggleDock>()->dock == view::Dock::kLogs);
  CHECK_FALSE(screen.find("Note"));  // the speedup is hidden too
  view::PaletteFacts facts;
  facts.closed.fill(true);
  const auto entries = view::palette_entries(facts);
  CHECK(std::any_of(entries.begin(), entries.end(),
                    [](const auto& entry) { return entry.title == "Show the rank table"; }));
}

TEST_CASE("on a low window the log opens over the rank table and goes back to its bar") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen(1280, 720);
  demo.open(screen.input);
  screen.frame();
  CHECK_FALSE(screen.find("##log filter"));
  screen.press(ImGuiKey_L);
  CHECK_FALSE(screen.asked<view::ToggleDock>());
  screen.frame();
  CHECK(screen.find("##log filter"));
  REQUIRE(screen.click("##close log"));
  screen.frame();
  CHECK_FALSE(screen.find("##log filter"));
}

TEST_CASE("the settings change colours, text size, docks and layout") {
  NullScreen screen;
  screen.press(ImGuiKey_Comma, true);
  CHECK(screen.asked<view::ShowSettings>()->on);
  REQUIRE(screen.click(view::label::kSettings));  // the gear in the rail
  CHECK(screen.asked<view::ShowSettings>()->on);
  screen.input.sheets.settings = true;
  screen.frame();
  screen.frame();
  REQUIRE(screen.click(view::label::kLight));
  CHECK(screen.asked<view::SetLight>()->on);
  REQUIRE(screen.click("150 %"));
  CHECK(screen.asked<view::SetTextSize>()->percent == 150);
  REQUIRE(screen.click(view::label::kRanksDock));
  CHECK(screen.asked<view::ToggleDock>()->dock == view::Dock::kRanks);
  REQUIRE(screen.click(view::label::kResetLayout));
  CHECK(screen.asked<view::ResetLayout>());
  REQUIRE(screen.click(view::label::kResetWindow));
  CHECK(screen.asked<view::ResetWindow>());
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowSettings>()->on);
}

TEST_CASE("the gear leads to the doctor, which repeats its checks, checks training and is copied") {
  NullScreen screen;
  screen.input.sheets.settings = true;
  screen.frame();
  screen.frame();
  REQUIRE(screen.click(view::label::kDoctor));
  CHECK(screen.asked<view::ShowDoctor>()->on);
  screen.input.sheets.settings = false;
  screen.input.sheets.doctor = true;
  view::DoctorFacts facts;
  facts.machine = {{launch::Verdict::kPass, "Free ports", "28,000 free", "", ""}};
  screen.input.doctor = view::build_doctor(facts);
  screen.frame();
  screen.frame();
  REQUIRE(screen.click(view::label::kRunAgain));
  CHECK(screen.asked<view::ShowDoctor>()->on);
  REQUIRE(screen.click(view::label::kCheckTraining));
  CHECK_FALSE(screen.asked<view::ExamineTraining>()->gpu);
  CHECK_FALSE(screen.find(view::label::kCheckGpus));
  CHECK_FALSE(screen.find(view::label::kCancelChecks));
  REQUIRE(screen.click(view::label::kCopyChecks));
  CHECK(screen.asked<view::CopyText>()->text.find("Free ports\tpass\t28,000 free") !=
        std::string::npos);
  facts.has_gpus = true;
  screen.input.doctor = view::build_doctor(facts);
  REQUIRE(screen.click(view::label::kCheckGpus));
  CHECK(screen.asked<view::ExamineTraining>()->gpu);
  facts.progress = "5  All-reduce…";
  screen.input.doctor = view::build_doctor(facts);
  CHECK_FALSE(screen.click(view::label::kCheckTraining));  // one check is active
  REQUIRE(screen.click(view::label::kCancelChecks));
  CHECK(screen.asked<view::CancelExamination>());
  REQUIRE(screen.click(view::label::kCloseDoctor));
  CHECK_FALSE(screen.asked<view::ShowDoctor>()->on);
}

TEST_CASE("a run folder is opened or copied by its typed or chosen path") {
  NullScreen screen;
  screen.press(ImGuiKey_O, true);
  CHECK(screen.asked<view::ShowOpenRun>()->on);
  REQUIRE(screen.click(view::label::kOpenRun));
  screen.input.sheets.open = true;
  screen.frame();
  screen.frame();
  CHECK_FALSE(screen.click(view::label::kOpenInPlace));  // no path is typed yet
  REQUIRE(screen.click("##run path"));
  for (const char c : std::string("/data/run 1"))
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  screen.frame();
  screen.frame();
  SECTION("opened") {
    REQUIRE(screen.click(view::label::kOpenInPlace));
    CHECK(screen.asked<view::OpenRun>()->id == "/data/run 1");
    CHECK_FALSE(screen.asked<view::ShowOpenRun>()->on);
  }
  SECTION("with Enter") {
    screen.press(ImGuiKey_Enter);
    CHECK(screen.asked<view::OpenRun>()->id == "/data/run 1");
  }
  SECTION("copied") {
    REQUIRE(screen.click(view::label::kImport));
    CHECK(screen.asked<view::ImportRun>()->path == "/data/run 1");
  }
  SECTION("browsed") {
    REQUIRE(screen.click(view::label::kBrowse));
    CHECK(screen.asked<view::BrowseRuns>());
    screen.press(ImGuiKey_Escape);
    screen.input.sheets.open = false;
    screen.frame();
    screen.frame();
    screen.input.browsed = {view::ChooserUse::kOpen, "/chosen", 1};
    screen.input.sheets.open = true;
    screen.frame();
    screen.frame();
    REQUIRE(screen.click(view::label::kOpenInPlace));
    CHECK(screen.asked<view::OpenRun>()->id == "/chosen");
    // The same path may be chosen again after another one was typed.
    screen.memory.open.path = "/else";
    screen.input.browsed = {view::ChooserUse::kOpen, "/chosen", 2};
    screen.frame();
    CHECK(screen.memory.open.path == "/chosen");
    screen.input.browsed = {view::ChooserUse::kSaveFile, "/report.html", 3};
    screen.frame();
    CHECK(screen.memory.open.path == "/chosen");
  }
}

TEST_CASE("every key of a command is listed on the sheet of keys") {
  view::PaletteFacts facts;
  facts.page = view::Page::kRuns;
  facts.has_run = facts.can_stop = facts.can_resume = true;
  facts.selected = "20261121T134005Z-7f3a1c";
  std::string sheet;
  for (const view::KeyHelp& line : view::key_help()) sheet += std::string(line.keys) + "  ";
  for (const view::PaletteEntry& entry : view::palette_entries(facts)) {
    if (entry.keys.empty()) continue;
    INFO(entry.title << ": " << entry.keys);
    const std::string key = entry.keys.substr(0, entry.keys.find(' ', 5));
    CHECK(sheet.find(key) != std::string::npos);
  }
}

TEST_CASE("the speedup card opens its waterfall, whose bars lead to Live") {
  const OpenDemo demo(support::demo_run());
  const OpenDemo baseline(support::demo_baseline());
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline.model, "20261120T101500Z-00aa11", 983};
  REQUIRE(screen.click(view::label::kWhy));
  CHECK(screen.asked<view::ShowWaterfall>()->on);
  REQUIRE(screen.click("Open the waterfall"));
  CHECK(screen.asked<view::ShowWaterfall>()->on);
  screen.press(ImGuiKey_W);
  CHECK(screen.asked<view::ShowWaterfall>()->on);
  screen.input.sheets.waterfall = true;
  REQUIRE(screen.click("Data wait"));
  CHECK_FALSE(screen.asked<view::ShowWaterfall>()->on);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kLive);
  CHECK(screen.asked<view::ShowOnlyRank>()->rank == 2);
  REQUIRE(screen.click(view::label::kCopyWaterfall));
  CHECK(screen.asked<view::CopyText>()->text.starts_with("part\t"));
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowWaterfall>()->on);
}

TEST_CASE("the publication of the open run is shown beside it, at any size of the window") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(700, 500), ImVec2(320, 240));
  const OpenDemo demo(support::demo_run());
  const OpenDemo baseline(support::demo_baseline());
  NullScreen screen(size.x, size.y);
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline.model, "20261120T101500Z-00aa11", 983};
  launch::NamedPreset preset;
  preset.name = "story";
  preset.file.published.source = "E9: a source";
  preset.file.published.gate = launch::PublishedGate{2, 0.4, 0.7};
  preset.file.published.figures = {{"speedup", "2.16x", 2.16, 4, true, "train_pass", "one_device"}};
  preset.file.published.tables = {{"As it was", {"a", "b"}, {{"1", "2"}, {"3", "4"}}}};
  preset.file.published.notes = {"A sentence that a reader of the figures needs."};
  screen.input.live.context.preset = std::make_shared<const launch::NamedPreset>(preset);
  screen.press(ImGuiKey_U);
  CHECK(screen.asked<view::ShowExperiment>()->on);
  if (size.x > 1000) {
    REQUIRE(screen.click(view::label::kExperiment));
    CHECK(screen.asked<view::ShowExperiment>()->on);
  }
  screen.input.sheets.experiment = true;
  screen.frame();
  screen.press(ImGuiKey_PageDown);
  screen.press(ImGuiKey_DownArrow);
  CHECK_FALSE(screen.asked<view::ShowExperiment>());
  REQUIRE(screen.click(view::label::kCopyExperiment));
  const std::string text = screen.asked<view::CopyText>()->text;
  CHECK(text.find("As published: As it was") != std::string::npos);
  CHECK(text.find("The goal is set for exactly 2 devices, this run has 4.") != std::string::npos);
  REQUIRE(screen.click(view::label::kCloseExperiment));
  CHECK_FALSE(screen.asked<view::ShowExperiment>()->on);
}

TEST_CASE("a run without a published source says so on its sheet") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kExperiment));
  screen.input.sheets.experiment = true;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kCopyExperiment));
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowExperiment>()->on);
}

TEST_CASE("the what-if prediction is beside the waterfall, at any size of the window") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(700, 500), ImVec2(320, 240));
  const OpenDemo demo(support::demo_run());
  NullScreen screen(size.x, size.y);
  demo.open(screen.input);
  support::MadeRun late(2);
  for (Step step = 0; step < 60; ++step) {
    const double begin = 22.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 2; ++rank) {
      const double own = rank == 0 ? 20 : 10;
      late.bucket(rank, step, 0, begin + own, begin + 22);
      late.step(rank, step, begin + 22, {0, 0, own / 2, own / 2, 22 - own, 0, 22});
    }
  }
  screen.input.live.model = &late.model();
  screen.input.sheets.waterfall = true;
  screen.frame();
  if (size.x < 1000) return;
  // No change is chosen yet.
  CHECK_FALSE(screen.click(view::label::kProveIt));
  screen.memory.what_if.ranks = 4;
  REQUIRE(screen.click(view::label::kProveIt));
  CHECK(screen.asked<view::ProveChange>()->change.ranks == 4);
  screen.input.what_if.busy = true;
  screen.frame();
  CHECK_FALSE(screen.click(view::label::kProveIt));
}

TEST_CASE("changes are tried from the waterfall or by a key, and the best settings are launched") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(320, 240));
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen(size.x, size.y);
  demo.open(screen.input);
  screen.press(ImGuiKey_Y);
  CHECK(screen.asked<view::ShowTries>()->on);
  screen.input.sheets.tries = true;
  view::TryView& view = screen.input.tries;
  view.table = view::candidates_table({{{}, "DataLoader.num_workers=2", "batches are loaded"}}, "");
  view.can_start = true;
  screen.frame();
  if (size.x < 1000) return;
  CHECK_FALSE(screen.find(view::label::kLaunchTried));
  REQUIRE(screen.click(view::label::kOtherNumbers));
  REQUIRE(screen.click(view::label::kStartTries));
  CHECK(screen.asked<view::StartTries>()->budget_s == 600);
  CHECK(screen.asked<view::StartTries>()->other_numbers);
  view.can_start = false;
  view.going = true;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kStartTries));
  REQUIRE(screen.click(view::label::kStopTries));
  CHECK(screen.asked<view::StopTries>());
  view.going = false;
  view.can_launch = true;
  screen.frame();
  REQUIRE(screen.click(view::label::kLaunchTried));
  CHECK(screen.asked<view::LaunchTried>());
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowTries>()->on);
}

TEST_CASE("without a speedup the sheet of the waterfall shows the reason") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  screen.input.sheets.waterfall = true;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kCopyWaterfall));
  REQUIRE(screen.click(view::label::kCloseWaterfall));
  CHECK_FALSE(screen.asked<view::ShowWaterfall>()->on);
}
