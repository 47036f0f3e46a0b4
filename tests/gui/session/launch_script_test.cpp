// Runs of custom programs behind the window: how the form is filled, what is checked, and what it
// shares with the trainer's form.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gui/launch/preflight/preflight.h"
#include "gui/session/window/session.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/session_until.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::Session;

namespace {

constexpr const char* kLaunchScriptId = "20261121T100000Z-aaaaaa";

messages::RunSpec script_run(const std::filesystem::path& folder) {
  messages::RunSpec spec;
  spec.name = "night run";
  spec.program.argv = {"python3", "-u", "train.py", "--lr", "0.1"};
  spec.program.cwd = folder.string();
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  return spec;
}

class LaunchScriptRig {
 public:
  LaunchScriptRig() : session_(options(), [] {}) {
    folder_.write("train.py", "print(1)\n");
    support::make_folder(folder_.path() / "runs", kLaunchScriptId, script_run(folder_.path()));
    REQUIRE(session_.start());
    REQUIRE(until([](const auto& input) { return !input.launch.recent_scripts.empty(); }));
  }

  template <class Holds>
  bool until(Holds&& holds) {
    return testing::until(session_, holds);
  }
  void ask(view::Command command) { (void)session_.execute({std::move(command)}); }
  Session& session() { return session_; }
  std::string script() const { return (folder_.path() / "train.py").string(); }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  Session::Options options() {
    ::setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
    Session::Options wanted;
    wanted.runs_dir = folder_.path() / "runs";
    return wanted;
  }

  TempFolder folder_;
  Session session_;
};

bool checked(const view::ScreenInput& input, const char* title) {
  for (const view::CheckView& check : input.launch.checks) {
    if (check.title == title) return check.state == view::CheckState::kPass;
  }
  return false;
}

}  // namespace

TEST_CASE("a Python file that is dropped on the window becomes the script of the next run") {
  LaunchScriptRig rig;
  rig.ask(view::SelectPage{view::Page::kRuns});
  rig.session().open_dropped({rig.script(), "/etc/hostname"});
  const auto input = rig.session().input();
  CHECK(input.page == view::Page::kLaunch);
  REQUIRE(input.launch.script != nullptr);
  CHECK(input.launch.form == &input.launch.script->settings());
  CHECK(input.launch.script->argv() == std::vector<std::string>{"python3", "-u", "train.py"});
  CHECK(input.launch.script->settings().spec().program.cwd == rig.path().string());
  CHECK(input.message.text.find("first of 2 dropped items") != std::string::npos);
  CHECK(rig.until([](const auto& seen) { return checked(seen, launch::titles::kScript); }));
}

TEST_CASE("both kinds of run share the devices, and each form keeps what was typed") {
  LaunchScriptRig rig;
  rig.ask(view::SetCpuRanks{3});
  rig.ask(view::EditField{"train.epochs", "7"});
  rig.ask(view::SelectRunKind{view::RunKind::kScript});
  CHECK(rig.session().input().launch.form->spec().devices.world_size == 3);
  rig.ask(view::EditField{view::script_key::kProgram, rig.script()});
  rig.ask(view::SetCpuRanks{2});
  rig.ask(view::SelectRunKind{view::RunKind::kTrainer});
  const auto trainer = rig.session().input().launch;
  CHECK(trainer.script == nullptr);
  CHECK(trainer.form->spec().devices.world_size == 2);
  CHECK(trainer.form->spec().train.epochs == 7);
  rig.ask(view::SelectRunKind{view::RunKind::kScript});
  CHECK(rig.session().input().launch.script->text(view::script_key::kProgram) == rig.script());
}

TEST_CASE("the installed Accelerate is asked which processes its command line starts") {
  LaunchScriptRig rig;
  const std::string python = (rig.path() / "python").string();
  std::ofstream(python)
      << R"(#!/bin/sh
printf %s '{"ranks": 3, "cpu": true, "gpus": "", "environment": ["FSDP_VERSION=2"], "restarts": 0,)"
      << R"( "module": false, "no_python": false, "program": ["train.py"], "refused": ""}'
)";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  rig.ask(view::SelectRunKind{view::RunKind::kScript});
  rig.ask(view::EditField{view::script_key::kProgram, python});
  rig.ask(view::EditField{view::script_key::kArguments,
                          "-m accelerate.commands.accelerate_cli launch --use_fsdp train.py"});
  CHECK(rig.session().input().launch.script->missing() == view::label::kAsking);
  const bool understood =
      rig.until([](const auto& input) { return !input.launch.script->argv().empty(); });
  INFO(rig.session().input().launch.script->missing());
  INFO(rig.session().input().launch.script->error(view::script_key::kArguments));
  INFO(rig.session().input().launch.script->error(view::script_key::kProgram));
  REQUIRE(understood);
  const auto spec = rig.session().input().launch.form->spec();
  CHECK(spec.program.argv == std::vector<std::string>{python, "-u", "train.py"});
  CHECK(spec.program.environment == std::vector<std::string>{"FSDP_VERSION=2"});
  CHECK(spec.devices.world_size == 3);
}

TEST_CASE("nothing is checked or started while no script is chosen") {
  LaunchScriptRig rig;
  REQUIRE(rig.until([](const auto& input) { return !input.launch.checks.empty(); }));
  rig.ask(view::SelectRunKind{view::RunKind::kScript});
  CHECK(rig.until([](const auto& input) { return input.launch.checks.empty(); }));
  rig.ask(view::StartRun{});
  rig.session().update();
  CHECK_FALSE(rig.session().input().launch.busy);
}

TEST_CASE(
    "settings of a script's run fill the script's form, and a preset returns to the trainer's") {
  LaunchScriptRig rig;
  CHECK(rig.session().input().launch.recent_scripts[0].name == "train.py --lr 0.1");
  rig.ask(view::UseSettings{kLaunchScriptId});
  const auto input = rig.session().input();
  CHECK(input.page == view::Page::kLaunch);
  REQUIRE(input.launch.script != nullptr);
  CHECK(messages::to_toml(input.launch.script->spec()) ==
        messages::to_toml(script_run(rig.path())));
  rig.ask(view::EditField{view::script_key::kArguments, "--lr 0.2"});
  rig.ask(view::ResetForm{});
  CHECK(rig.session().input().launch.script->argv().back() == "0.1");
  rig.ask(view::SelectPreset{"demo", false});
  CHECK(rig.session().input().launch.script == nullptr);
}

TEST_CASE("a launcher's number of processes selects as many devices, once") {
  LaunchScriptRig rig;
  rig.ask(view::SelectRunKind{view::RunKind::kScript});
  rig.ask(view::SetCpuRanks{1});
  rig.ask(view::EditField{view::script_key::kProgram, "torchrun"});
  rig.ask(view::EditField{view::script_key::kArguments, "--nproc-per-node 3 " + rig.script()});
  CHECK(rig.session().input().launch.form->spec().devices.world_size == 3);
  rig.ask(view::SetCpuRanks{2});
  rig.ask(view::EditField{"name", "mine"});
  CHECK(rig.session().input().launch.form->spec().devices.world_size == 2);
}

TEST_CASE("a missing script fails its check and prevents the launch") {
  LaunchScriptRig rig;
  rig.ask(view::UseSettings{kLaunchScriptId});
  rig.ask(view::EditField{view::script_key::kProgram, rig.script() + "x.py"});
  CHECK(rig.until([](const auto& input) {
    for (const view::CheckView& check : input.launch.checks) {
      if (check.title == launch::titles::kScript) return check.state == view::CheckState::kFail;
    }
    return false;
  }));
}
