// The Launch page: commands of its fields, cards and button.
#include "gui/launch/preflight/preflight.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/window/first_steps.h"
#include "tests/gui/ui/launch_input.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

using Rig = test::LaunchController;

TEST_CASE("the launch button starts the run that the form describes") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  screen.frame();
  REQUIRE(screen.click("Launch 2 ranks###launch"));
  CHECK(screen.asked<view::StartRun>());
  screen.press(ImGuiKey_Enter, true);
  CHECK(screen.asked<view::StartRun>());
}

TEST_CASE("Ctrl Enter in a field takes its value and launches") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click("##train.epochs"));
  ImGui::GetIO().AddInputCharacter('7');
  screen.frame();
  screen.press(ImGuiKey_Enter, true);
  CHECK(screen.asked<view::StartRun>());
  screen.press(ImGuiKey_Enter);  // nothing has the focus
  CHECK(screen.commands().empty());
}

TEST_CASE("Ctrl Enter in a sheet over the Launch page does not launch") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  screen.input.sheets.palette = true;
  for (int i = 0; i < 3; ++i) screen.frame();
  screen.press(ImGuiKey_Enter, true);
  CHECK_FALSE(screen.asked<view::StartRun>());
  screen.input.sheets.palette = false;
  for (int i = 0; i < 3; ++i) {
    screen.frame();
    CHECK_FALSE(screen.asked<view::StartRun>());
  }
}

TEST_CASE("a failed check disables the launch button and its key") {
  Rig rig;
  rig.checks.push_back({view::CheckState::kFail, launch::titles::kData, "train-images is missing",
                        view::label::kFailed});
  NullScreen screen;
  rig.open(screen.input);
  screen.frame();
  CHECK_FALSE(screen.click("Launch 2 ranks###launch"));
  screen.press(ImGuiKey_Enter, true);
  CHECK_FALSE(screen.asked<view::StartRun>());
}

TEST_CASE("typing into a field edits that field") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click("##train.epochs"));
  ImGui::GetIO().AddInputCharacter('7');
  screen.frame();
  const auto edit = screen.asked<view::EditField>();
  REQUIRE(edit);
  CHECK(edit->key == "train.epochs");
  CHECK(edit->text.find('7') != std::string::npos);
}

TEST_CASE("batch rows, switches and ranks edit their settings") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click("Weak"));
  CHECK(screen.asked<view::EditField>()->key == "batch.meaning");
  CHECK(screen.asked<view::EditField>()->text == "per_rank");
  REQUIRE(screen.click("sampler.shuffle"));
  CHECK(screen.asked<view::EditField>()->text == "false");
  REQUIRE(screen.click(view::label::kAddRank));
  CHECK(screen.asked<view::SetCpuRanks>()->ranks == 3);
  REQUIRE(screen.click("CPU slot 1"));
  CHECK_FALSE(screen.asked<view::PickDevice>()->on);
}

TEST_CASE("GPUs are cards, at 1600 and at 1280 wide") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720));
  Rig rig;
  rig.add_gpus(8);
  rig.form.pick_devices({rig.machine.gpus[2].uuid});
  NullScreen screen(size.x, size.y);
  rig.open(screen.input);
  screen.frame();
  screen.frame();
  REQUIRE(screen.click("GPU 3"));
  const auto pick = screen.asked<view::PickDevice>();
  REQUIRE(pick);
  CHECK(pick->uuid == rig.machine.gpus[3].uuid);
  CHECK(pick->on);
  CHECK(screen.find("Launch 1 rank###launch"));
}

TEST_CASE("a preset is chosen from the list") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click(view::label::kPresets));
  screen.frame();
  REQUIRE(screen.click("mnist"));
  CHECK(screen.asked<view::SelectPreset>()->name == "mnist");
}

TEST_CASE("recently used settings are in the same list") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  std::vector<view::RunSummary> runs(1);
  runs[0].id = "20261121T134005Z-7f3a1c";
  runs[0].name = "seed 7";
  runs[0].model = "convnet";
  screen.input.runs.runs = runs;
  REQUIRE(screen.click(view::label::kPresets));
  screen.frame();
  REQUIRE(screen.click("seed 7"));
  CHECK(screen.asked<view::UseSettings>()->id == runs[0].id);
}

TEST_CASE("a batch size is typed digit by digit, even if its first digit alone is invalid") {
  Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click("##batch.size"));
  screen.press(ImGuiKey_A, true);
  for (const char digit : std::string("128")) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(digit));
    screen.frame();
    const auto edit = screen.asked<view::EditField>();
    REQUIRE(edit);
    REQUIRE(edit->key == "batch.size");
    rig.form.edit(edit->key, edit->text);
    rig.open(screen.input);
    screen.frame();
    CHECK(screen.find("##batch.size"));
  }
  CHECK(rig.form.spec().batch.size == 128);
}

TEST_CASE("the command that a check suggests can be copied") {
  Rig rig;
  rig.checks.push_back({view::CheckState::kWarning, launch::titles::kOrphans, "python3 4711",
                        view::label::kWarning, "end them", "kill -KILL 4711"});
  NullScreen screen;
  rig.open(screen.input);
  screen.frame();
  REQUIRE(screen.click(std::string("Copy command##") + launch::titles::kOrphans));
  REQUIRE(screen.asked<view::CopyText>());
  CHECK(screen.asked<view::CopyText>()->text == "kill -KILL 4711");
  // A check that passed suggests nothing.
  CHECK_FALSE(screen.find(std::string("Copy command##") + launch::titles::kRunFolder));
}

TEST_CASE("probing the links is started and cancelled in their row of Preflight") {
  for (const char* action : {view::label::kProbe, view::label::kCancelProbe}) {
    Rig rig;
    rig.checks.push_back(
        {view::CheckState::kPass, view::label::kLinksCheck, "not probed yet", view::label::kPass});
    rig.checks.back().action = action;
    NullScreen screen;
    rig.open(screen.input);
    screen.frame();
    REQUIRE(screen.click(action));
    CHECK(screen.asked<view::ProbeLinks>().has_value() == (action == view::label::kProbe));
    CHECK(screen.asked<view::CancelProbe>().has_value() == (action == view::label::kCancelProbe));
  }
}

TEST_CASE("the batch table can be copied for a spreadsheet") {
  const Rig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click(view::label::kCopyBatch));
  REQUIRE(screen.asked<view::CopyText>());
  CHECK(screen.asked<view::CopyText>()->text.starts_with(
      "Batch\tPer rank\tGlobal\tSteps / epoch\tLast batch\tPadding\nWeak\t"));
}

TEST_CASE("links between GPUs are drawn if there are two or more") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(800, 500));
  Rig rig;
  rig.add_gpus(8);
  rig.form.pick_devices({rig.machine.gpus[4].uuid, rig.machine.gpus[5].uuid});
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b)
      rig.machine.links.push_back({a, b, a / 2 == b / 2 ? "NV4" : a / 4 == b / 4 ? "NODE" : "SYS"});
  }
  NullScreen screen(size.x, size.y);
  rig.open(screen.input);
  screen.frame();
  screen.frame();
  if (size.x >= 1600) {
    CHECK(screen.find(view::label::kLinks));
    REQUIRE(screen.click(view::label::kCopyLinks));
    REQUIRE(screen.asked<view::CopyText>());
    CHECK(screen.asked<view::CopyText>()->text.starts_with("Link\tGPU 0\tGPU 1\t"));
    REQUIRE(screen.click(view::pick_best_label(2)));
    REQUIRE(screen.asked<view::PickDevices>());
    CHECK(screen.asked<view::PickDevices>()->uuids ==
          std::vector<std::string>{rig.machine.gpus[0].uuid, rig.machine.gpus[1].uuid});
    REQUIRE(screen.click(view::label::kClearDevices));
    REQUIRE(screen.asked<view::PickDevices>());
    CHECK(screen.asked<view::PickDevices>()->uuids.empty());
  }
  rig.machine.links.clear();
  rig.machine.gpus.resize(1);
  ++screen.input.launch.revision;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kLinks));
}

TEST_CASE("a window without a run says what this is and how to begin") {
  NullScreen screen;
  const test::LaunchController launch;
  launch.open(screen.input);
  screen.input.runs.looked = true;
  for (const view::Page page : {view::Page::kLaunch, view::Page::kLive}) {
    screen.input.page = page;
    REQUIRE(screen.click(view::label::kDoorScript));
    CHECK(screen.asked<view::SelectRunKind>()->kind == view::RunKind::kScript);
    REQUIRE(screen.click(view::label::kDoorDemo));
    CHECK(screen.asked<view::SelectPreset>()->name == "demo");
    CHECK(screen.asked<view::StartRun>());
    REQUIRE(screen.click(view::label::kDoorFiles));
    CHECK(screen.asked<view::ShowOpenRun>());
  }
  const std::vector<view::RunSummary> runs(1);
  screen.input.runs.runs = runs;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kDoorDemo));
}
