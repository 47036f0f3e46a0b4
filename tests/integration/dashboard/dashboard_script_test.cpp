// A person's own script in the real window: the form filled in with mouse and keyboard, the run
// with the output of its ranks, and the same run again.
#include <fstream>
#include <string>

#include "gui/launch/preflight/preflight.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/find_run.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

std::string written_by(const runlog::RunFolder& run, Rank rank) {
  return read_text(run.rank_dir(0, rank) / "stdout").value_or("");
}

}  // namespace

TEST_CASE("a script is typed into the form, launched, read in the log, and run again") {
  DashboardRig rig;
  const auto script = rig.cli.path() / "own" / "hello.py";
  std::filesystem::create_directories(script.parent_path());
  std::ofstream(script) << "import os, sys\n"
                           "print('hello', sys.argv[1], os.environ['RANK'], os.environ['MODE'], "
                           "os.path.basename(os.getcwd()), flush=True)\n";
  rig.open({"--preset", rig.cli.experiment(2, {})});
  rig.click(view::label::kYourScript);
  rig.type_into("##" + std::string(view::script_key::kProgram), script.string());
  rig.type_into("##" + std::string(view::script_key::kArguments), "'two words'");
  rig.type_into("##" + view::script_key::variable_name(0), "MODE");
  rig.type_into("##" + view::script_key::variable_value(0), "fast");
  rig.wait_for(launch::titles::kScript);
  rig.wait_for(view::launch_label(2));
  rig.click(view::launch_label(2));
  REQUIRE(wait_until(30, [&] { return runs::find_run(rig.cli.runs(), "#1").has_value(); }));
  const auto run = runs::find_run(rig.cli.runs(), "#1")->folder;
  for (const Rank rank : {0, 1}) {
    const std::string line = "hello two words " + std::to_string(rank) + " fast own\n";
    CHECK(wait_until(30, [&] { return written_by(run, rank) == line; }));
  }
  // The run is open on Live, where the output of its ranks can be searched.
  rig.wait_for(view::label::kRunScriptAgain, 40);
  rig.type_into("##log filter", "two words");
  rig.click("Search files");
  rig.wait_for("Back to the newest lines");
  rig.click(view::label::kRunScriptAgain);
  rig.wait_for(view::launch_label(2));
  rig.wait_for(launch::titles::kScript);
  rig.key("ctrl+Return");
  REQUIRE(wait_until(30, [&] { return runs::find_run(rig.cli.runs(), "#2").has_value(); }));
  const auto again = runs::find_run(rig.cli.runs(), "#2")->folder;
  CHECK(runs::read_spec(again)->program.argv == runs::read_spec(run)->program.argv);
  CHECK(wait_until(30, [&] { return written_by(again, 1) == written_by(run, 1); }));
}

TEST_CASE("the command that the form shows starts the same run from a terminal") {
  const testing::CliRig cli;
  const auto script = cli.path() / "hello.py";
  std::ofstream(script) << "print('hello', flush=True)\n";
  view::ScriptForm form;
  form.choose(script.string());
  form.settings().set_cpu_ranks(2);
  view::MachineSummary machine;
  machine.cores = 2;
  const auto shown = view::build_script_launch_view(form, machine, {}, {}, {}, false);
  std::string command;
  for (const std::string& line : shown.preview.front().lines) command += line + "\n";
  REQUIRE(command.starts_with("ringside run "));
  command.replace(0, 12, "run --runs-dir '" + cli.runs().string() + "'");
  const auto ended =
      launch::capture({"/bin/sh", "-c", (testing::bin_dir() / "ringside").string() + " " + command},
                      60'000'000'000);
  REQUIRE(ended);
  INFO(ended->errors);
  CHECK(ended->exit_code == 0);
  const auto run = runs::find_run(cli.runs(), "#1");
  REQUIRE(run);
  CHECK(written_by(run->folder, 1) == "hello\n");
  const auto stored = runs::read_spec(run->folder);
  REQUIRE(stored);
  CHECK(stored->program.argv == form.argv());
  CHECK(stored->program.cwd == cli.path().string());
  CHECK(stored->name == form.spec().name);
}
