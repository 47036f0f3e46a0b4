// The form of a custom program: the commands of its fields, rows and lists, in windows of several
// sizes.
#include "gui/launch/preflight/preflight.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/window/top_bar.h"
#include "protocol/messages/records.h"
#include "tests/gui/ui/launch_input.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

namespace {

using LaunchScriptRig = test::ScriptController;

struct LaunchScriptSize {
  float width, height;
};
LaunchScriptSize any_size() {
  return GENERATE(LaunchScriptSize{1600, 900}, LaunchScriptSize{1280, 720},
                  LaunchScriptSize{800, 900});
}

/// Applies all commands to the form, as the session does.
void carry_out(NullScreen& screen, LaunchScriptRig& rig) {
  for (const view::Command& command : screen.commands()) {
    if (const auto* edit = view::as<view::EditField>(command)) rig.form.edit(edit->key, edit->text);
  }
  rig.open(screen.input);
}

}  // namespace

TEST_CASE("the kind of run can be switched in the header of the form in every window size") {
  const LaunchScriptSize size = any_size();
  const test::LaunchController trainer;
  NullScreen screen(size.width, size.height);
  trainer.open(screen.input);
  screen.frame();
  REQUIRE(screen.click(view::label::kYourScript));
  REQUIRE(screen.asked<view::SelectRunKind>());
  CHECK(screen.asked<view::SelectRunKind>()->kind == view::RunKind::kScript);
}

TEST_CASE("a short header offers the kind of run as a list") {
  const test::LaunchController trainer;
  NullScreen screen(300, 900);
  trainer.open(screen.input);
  const std::string list = std::string(view::label::kOurTrainer) + "###list";
  screen.frame();
  REQUIRE(screen.find(list));
  REQUIRE(screen.click(list));
  REQUIRE(screen.click(view::label::kYourScript));
  REQUIRE(screen.asked<view::SelectRunKind>());
  CHECK(screen.asked<view::SelectRunKind>()->kind == view::RunKind::kScript);
}

TEST_CASE("the switch back and the fields of the trainer do not overlap") {
  const LaunchScriptRig rig;
  NullScreen screen;
  rig.open(screen.input);
  screen.frame();
  CHECK_FALSE(screen.find("##train.epochs"));
  CHECK_FALSE(screen.find(view::label::kPresets));
  REQUIRE(screen.click(view::label::kOurTrainer));
  CHECK(screen.asked<view::SelectRunKind>()->kind == view::RunKind::kTrainer);
}

TEST_CASE(
    "an empty form of a script can be filled by typing, by the chooser of files and from a recent "
    "run") {
  const LaunchScriptSize size = any_size();
  LaunchScriptRig rig;
  rig.form = {};
  rig.recent = {{"20261121T134005Z-7f3a1c", "train.py --lr 0.1", "#12, 2 ranks"}};
  NullScreen screen(size.width, size.height);
  rig.open(screen.input);
  screen.frame();
  CHECK_FALSE(screen.click("Launch 1 rank###launch"));
  screen.press(ImGuiKey_Enter, true);
  CHECK_FALSE(screen.asked<view::StartRun>());
  REQUIRE(screen.click(view::label::kBrowseScript));
  CHECK(screen.asked<view::BrowseScript>());
  REQUIRE(screen.click("train.py --lr 0.1"));
  REQUIRE(screen.asked<view::UseSettings>());
  CHECK(screen.asked<view::UseSettings>()->id == rig.recent[0].run);
  REQUIRE(screen.click("##script.program"));
  for (const char letter : std::string("a.py")) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    screen.frame();
    carry_out(screen, rig);
  }
  CHECK(rig.form.argv() == std::vector<std::string>{"python3", "-u", "a.py"});
  REQUIRE(screen.click("Launch 1 rank###launch"));
  CHECK(screen.asked<view::StartRun>());
}

TEST_CASE("the fields of a filled form edit their settings") {
  LaunchScriptRig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click("program.instrument"));
  CHECK(screen.asked<view::EditField>()->text == "false");
  REQUIRE(screen.click("##script.environment.1.name"));
  ImGui::GetIO().AddInputCharacter('A');
  screen.frame();
  REQUIRE(screen.asked<view::EditField>());
  CHECK(screen.asked<view::EditField>()->key == view::script_key::variable_name(1));
  REQUIRE(screen.click("Remove script.environment.0.name"));
  REQUIRE(screen.asked<view::RemoveVariable>());
  CHECK(screen.asked<view::RemoveVariable>()->row == 0);
  REQUIRE(screen.click("Launch 2 ranks###launch"));
  CHECK(screen.asked<view::StartRun>());
}

TEST_CASE("the keyboard goes from field to field of the form") {
  const LaunchScriptRig rig;
  NullScreen screen;
  rig.open(screen.input);
  REQUIRE(screen.click("##script.program"));
  for (int i = 0; i < 2; ++i) {  // past Browse
    screen.press(ImGuiKey_Tab);
    screen.frame();
  }
  ImGui::GetIO().AddInputCharacter('z');
  screen.frame();
  REQUIRE(screen.asked<view::EditField>());
  CHECK(screen.asked<view::EditField>()->key == view::script_key::kArguments);
}

TEST_CASE("a masked value is never drawn in plain text") {
  const LaunchScriptRig rig;
  NullScreen screen;
  rig.open(screen.input);
  screen.frame();
  screen.frame();
  for (const ui::DrawnText& text : ui::drawn_texts()) {
    INFO(text.text);
    CHECK(text.text.find("hunter-22") == std::string::npos);
  }
}

TEST_CASE("an ended run of a script offers to run again") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  model::RunModel model(spec);
  messages::RankState state;
  state.state = messages::State::kFinished;
  state.about = kNoRank;
  model.accept({0, kNoRank, 0, 100}, state);
  NullScreen screen;
  screen.input.page = view::Page::kLive;
  screen.input.live.model = &model;
  screen.input.live.context.id = "20261121T134005Z-7f3a1c";
  screen.input.live.context.contact = view::Contact::kEnded;
  REQUIRE(screen.click(view::label::kRunScriptAgain));
  REQUIRE(screen.asked<view::UseSettings>());
  CHECK(screen.asked<view::UseSettings>()->id == screen.input.live.context.id);
}
