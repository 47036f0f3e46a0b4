// The form for a custom program: from the typed text to the command of each rank, what is wrong
// with it, and the command that does the same.
#include "gui/view/launch/script_form.h"

#include <algorithm>

#include "gui/launch/launchers/script.h"
#include "gui/runs/catalogue.h"
#include "gui/view/launch/launch_view.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using Words = std::vector<std::string>;

namespace {

ScriptForm typed(const std::string& program, const std::string& arguments = {}) {
  ScriptForm form;
  form.edit(script_key::kProgram, program);
  form.edit(script_key::kArguments, arguments);
  return form;
}

MachineSummary script_form_laptop() {
  MachineSummary machine;
  machine.cores = 4;
  return machine;
}

LaunchView script_form_view_of(const ScriptForm& form) {
  return build_script_launch_view(form, script_form_laptop(), {}, {}, {}, false);
}

std::string tab_of(const ScriptForm& form, const std::string& title) {
  std::string text;
  for (const PreviewTab& tab : script_form_view_of(form).preview) {
    if (tab.title != title) continue;
    for (const std::string& line : tab.lines) text += line + "\n";
  }
  return text;
}

messages::RunSpec script_form_run_of(const Words& argv, const std::string& cwd) {
  messages::RunSpec spec;
  spec.program.argv = argv;
  spec.program.cwd = cwd;
  return spec;
}

}  // namespace

TEST_CASE("A script is run by python3 in its own folder, with its arguments as words") {
  const ScriptForm form = typed("/home/me/vision/train.py", "--lr 0.1 --name 'two words'");
  CHECK(form.missing().empty());
  CHECK(form.argv() == Words{"python3", "-u", "train.py", "--lr", "0.1", "--name", "two words"});
  CHECK(form.settings().spec().program.cwd == "/home/me/vision");
  CHECK(form.default_folder() == "/home/me/vision");
  const LaunchView view = script_form_view_of(form);
  CHECK(view.kind == RunKind::kScript);
  CHECK(view.script.argv ==
        R"(["python3", "-u", "train.py", "--lr", "0.1", "--name", "two words"])");
  CHECK(view.script.folder.hint == "the script's: /home/me/vision");
  CHECK(view.sections.empty());
  CHECK(view.batch.rows.empty());
}

TEST_CASE("In a typed folder the script is run by its path as typed") {
  ScriptForm form = typed("/home/me/vision/train.py");
  form.edit(script_key::kFolder, "/data");
  CHECK(form.argv() == Words{"python3", "-u", "/home/me/vision/train.py"});
  CHECK(form.settings().spec().program.cwd == "/data");
  form.edit(script_key::kFolder, "");
  CHECK(form.settings().spec().program.cwd == "/home/me/vision");
}

TEST_CASE("Any program is taken as it is, in the folder of a script among its arguments") {
  const ScriptForm bare = typed("./train.sh", "-x");
  CHECK(bare.argv() == Words{"./train.sh", "-x"});
  CHECK(bare.settings().spec().program.cwd.empty());
  const ScriptForm venv = typed("/opt/venv/bin/python", "/home/me/train.py");
  CHECK(venv.argv() == Words{"/opt/venv/bin/python", "/home/me/train.py"});
  CHECK(venv.settings().spec().program.cwd == "/home/me");
}

TEST_CASE("An empty form says what to do, and nothing can be launched") {
  const ScriptForm form;
  CHECK(form.missing() == label::kNoProgram);
  const LaunchView view = script_form_view_of(form);
  CHECK(view.script.empty);
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == label::kNoProgram);
  CHECK(view.preview.size() == 1);
  CHECK(view.script.program.error.empty());
}

TEST_CASE("Text that cannot be parsed is marked at its field and blocks") {
  ScriptForm form = typed("train.py", "--name 'open");
  CHECK(form.error(script_key::kArguments) == split_words("'").error().message);
  CHECK(form.argv().empty());
  CHECK(script_form_view_of(form).button_hint == label::kBadFields);
  form.edit(script_key::kArguments, "");
  CHECK(form.missing().empty());
  form.edit("limits.restarts", "many");
  CHECK_FALSE(form.error("limits.restarts").empty());
  CHECK_FALSE(script_form_view_of(form).can_launch);
}

TEST_CASE("A command line that our tables do not cover waits for the answer of Accelerate") {
  ScriptForm form =
      typed("/v/bin/python", "-m accelerate.commands.accelerate_cli launch --use_fsdp t.py");
  REQUIRE(form.question());
  CHECK(form.question()->python == Words{"/v/bin/python"});
  CHECK(form.question()->arguments == Words{"--use_fsdp", "t.py"});
  CHECK(form.argv().empty());
  CHECK(form.error(script_key::kProgram).empty());
  CHECK(script_form_view_of(form).button_hint == label::kAsking);
  launch::AccelerateAnswer told;
  told.ranks = 3;
  told.environment = {"FSDP_VERSION=2"};
  told.program = {"t.py"};
  const launch::AccelerateQuestion question = *form.question();
  form.take_answer(question, told);
  CHECK_FALSE(form.question());
  CHECK(form.missing().empty());
  CHECK(form.launcher_ranks() == 3);
  CHECK(form.argv() == Words{"/v/bin/python", "-u", "t.py"});
  CHECK(form.settings().spec().program.environment == Words{"FSDP_VERSION=2"});
  // Another command line is another question.
  form.edit(script_key::kFolder, "/data");
  CHECK(form.question()->cwd == "/data");
  form.take_answer(question, told);
  CHECK(form.missing() == label::kAsking);
  form.edit(script_key::kFolder, "");
  form.take_answer(question, bad_request("accelerate: no --use_fsdp here"));
  CHECK(form.error(script_key::kProgram) == "accelerate: no --use_fsdp here");
}

TEST_CASE("The environment is typed in rows, with one empty row at the end") {
  ScriptForm form = typed("train.py");
  CHECK(script_form_view_of(form).script.environment.size() == 1);
  form.edit(script_key::variable_name(0), "OMP_NUM_THREADS");
  form.edit(script_key::variable_value(0), "2");
  form.edit(script_key::variable_value(1), "x=y z");
  CHECK(form.error(script_key::variable_name(1)) == "Name the variable.");
  form.edit(script_key::variable_name(1), "1st");
  CHECK_FALSE(form.error(script_key::variable_name(1)).empty());
  form.edit(script_key::variable_name(1), "RANK");
  CHECK(form.error(script_key::variable_name(1)).starts_with("RANK: "));
  CHECK(form.argv().empty());
  form.edit(script_key::variable_name(1), "OMP_NUM_THREADS");
  CHECK(form.error(script_key::variable_name(1)) == "OMP_NUM_THREADS is set twice.");
  CHECK_FALSE(form.missing().empty());
  form.edit(script_key::variable_name(1), "MODE");
  CHECK(form.missing().empty());
  CHECK(form.settings().spec().program.environment == Words{"OMP_NUM_THREADS=2", "MODE=x=y z"});
  const auto rows = script_form_view_of(form).script.environment;
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].last);
  form.remove_variable(0);
  CHECK(form.settings().spec().program.environment == Words{"MODE=x=y z"});
  form.remove_variable(7);
  form.edit("script.environment.9.name", "FAR");
  form.edit("script.environment.x.name", "ODD");
  CHECK(form.variables().size() == 1);
}

TEST_CASE("A secret is masked, and is in no text that is shown or copied") {
  ScriptForm form = typed("/w/train.py", "--api-key hunter-22");
  form.edit(script_key::variable_name(0), "HF_TOKEN");
  form.edit(script_key::variable_value(0), "hunter-23");
  const LaunchView view = script_form_view_of(form);
  CHECK(view.script.environment[0].secret);
  CHECK(view.script.argv.find("hunter") == std::string::npos);
  for (const PreviewTab& tab : view.preview) {
    for (const std::string& line : tab.lines) {
      INFO(tab.title << ": " << line);
      CHECK(line.find("hunter") == std::string::npos);
    }
  }
  CHECK(tab_of(form, "Command").find("--env \"HF_TOKEN=$HF_TOKEN\"") != std::string::npos);
  // Only the run itself gets them.
  CHECK(form.spec().program.environment == Words{"HF_TOKEN=hunter-23"});
  CHECK(form.argv().back() == "hunter-22");
}

TEST_CASE("A secret that was not stored with a run has to be typed again") {
  messages::RunSpec spec =
      script_form_run_of({"python3", "train.py", "--api-key=[redacted]"}, "/w");
  spec.program.environment = {"HF_TOKEN=" + std::string(kHiddenSecret)};
  ScriptForm form(spec);
  CHECK_FALSE(form.error(script_key::kArguments).empty());
  CHECK_FALSE(form.error(script_key::variable_value(0)).empty());
  CHECK_FALSE(form.missing().empty());
  form.edit(script_key::kArguments, "--api-key=x");
  form.edit(script_key::variable_value(0), "y");
  CHECK(form.missing().empty());
}

TEST_CASE("The form of a run gives the same run") {
  for (const auto& [argv, cwd] :
       {std::pair{Words{"python3", "-u", "train.py", "--lr", "0.1"}, "/w"},
        {Words{"python3", "train.py", "--lr", "0.1"}, "/w"},
        {Words{"python3", "-u", "sub/train.py"}, "/w"},
        {Words{"python3", "-O", "train.py"}, "/w"},
        {Words{"python3", "sub/train.py"}, "/w"},
        {Words{"python3", "/w/train.py"}, "/w"},
        {Words{"python3", "-m", "pkg.train"}, "/w"},
        {Words{"/opt/venv/bin/python", "/w/train.py"}, "/w"},
        {Words{"./train.sh", "two words", "it's"}, "/w"},
        {Words{"python3"}, ""}}) {
    messages::RunSpec spec = script_form_run_of(argv, cwd);
    spec.name = "mine";
    spec.program.environment = {"A=1", "B=x=y", "C="};
    spec.program.instrument = false;
    spec.limits.restarts = 2;
    const ScriptForm form(spec);
    INFO(shell_words(argv) << " in " << cwd);
    CHECK(form.missing().empty());
    CHECK(messages::to_toml(form.spec()) == messages::to_toml(spec));
  }
}

TEST_CASE("A script of a run is shown as a script, and any other command as it is") {
  const ScriptForm script(script_form_run_of({"python3", "-u", "train.py", "--lr", "0.1"}, "/w"));
  CHECK(script.text(script_key::kProgram) == "/w/train.py");
  CHECK(script.text(script_key::kArguments) == "--lr 0.1");
  CHECK(script.text(script_key::kFolder).empty());
  const ScriptForm other(script_form_run_of({"python3", "train.py", "--lr", "0.1"}, "/w"));
  CHECK(other.text(script_key::kProgram) == "python3");
  CHECK(other.text(script_key::kArguments) == "train.py --lr 0.1");
  CHECK(other.text(script_key::kFolder) == "/w");
}

TEST_CASE("A chosen file replaces the program and is run in its own folder") {
  ScriptForm form = typed("/w/train.py", "--lr 0.1");
  form.edit(script_key::kFolder, "/data");
  form.choose("/home/me/other.py");
  CHECK(form.argv() == Words{"python3", "-u", "other.py", "--lr", "0.1"});
  CHECK(form.settings().spec().program.cwd == "/home/me");
  form.reset();
  CHECK(form.missing() == label::kNoProgram);
}

TEST_CASE("The command does the same from a terminal") {
  ScriptForm form = typed("train.py", "--lr 0.1");
  form.settings().set_cpu_ranks(2);
  CHECK(tab_of(form, "Command") ==
        "ringside run --ranks 2 \\\n  --devices cpu \\\n  -- python3 -u train.py --lr 0.1\n");
  MachineSummary box = script_form_laptop();
  box.elsewhere = "ssh://box";
  const LaunchView there = build_script_launch_view(form, box, {}, {}, {}, false);
  CHECK(there.preview.front().lines[1] == "  --on ssh://box \\");
  form.edit("name", "night run");
  form.edit(script_key::kFolder, "/w");
  form.edit(script_key::variable_name(0), "MODE");
  form.edit(script_key::variable_value(0), "a b");
  form.edit("program.instrument", "false");
  form.edit("limits.restarts", "3");
  form.edit("baseline.mode", "run");
  form.edit("devices.threads", "1");
  const std::string command = tab_of(form, "Command");
  for (const char* option :
       {"--name 'night run'", "--cwd /w", "--env 'MODE=a b'", "--no-instrument", "--restarts 3",
        "--baseline run", "--set devices.threads=1", "-- python3 -u train.py --lr 0.1"}) {
    INFO(option << " in " << command);
    CHECK(command.find(option) != std::string::npos);
  }
}

TEST_CASE("The typed text gives the same settings as the command line") {
  ScriptForm form = typed("/w/train.py", "--lr 0.1");
  form.settings().set_cpu_ranks(2);
  form.edit(script_key::variable_name(0), "MODE");
  form.edit(script_key::variable_value(0), "a b");
  launch::ScriptRequest request;
  request.command = form.argv();
  request.ranks = 2;
  request.devices = {"cpu"};
  request.cwd = "/w";
  request.environment = {"MODE=a b"};
  Words notes;
  const auto spec = launch::script_spec(request, notes);
  REQUIRE(spec);
  CHECK(messages::to_toml(form.spec()) == messages::to_toml(*spec));
}

TEST_CASE("The options of a launcher are applied, and ignored ones are reported") {
  const ScriptForm form = typed("torchrun", "--standalone --nproc-per-node 4 train.py --lr 0.1");
  CHECK(form.missing().empty());
  CHECK(form.launcher_ranks() == 4);
  CHECK(form.argv().back() == "0.1");
  CHECK(std::find(form.argv().begin(), form.argv().end(), "torchrun") == form.argv().end());
  const ScriptForm nodes = typed("torchrun", "--nnodes 2 --nproc-per-node 4 train.py");
  CHECK_FALSE(nodes.error(script_key::kProgram).empty());
  CHECK(nodes.missing() == label::kBadFields);
}

TEST_CASE("Recent scripts are listed once each, newest first") {
  std::vector<runs::RunSummary> runs;
  const auto add = [&runs](int number, const messages::RunSpec& spec) {
    const std::string folder = "/no/such/folder/r" + std::to_string(number);
    runs.push_back(runs::read_folder({runlog::RunFolder(folder), number}));
    runs.back().spec = spec;
    runs.back().spec_read = true;
  };
  messages::RunSpec wide =
      script_form_run_of({"python3", "/w/train.py", "--api-key=hunter-22"}, "/w");
  wide.devices.world_size = 2;
  add(9, wide);
  add(8,
      script_form_run_of({"python3", "/w/train.py", "--api-key=hunter-22"}, "/w"));  // its baseline
  add(7, {});                                                                        // our trainer
  add(6, script_form_run_of({"./train.sh", "two words"}, ""));
  for (int number = 5; number > 0; --number)
    add(number, script_form_run_of({"python3", "s" + std::to_string(number) + ".py"}, "/w"));
  add(0, script_form_run_of({"old.sh"}, ""));
  const auto recent = recent_scripts(runs);
  REQUIRE(recent.size() == kMostRecentScripts);
  CHECK(recent[0] == RecentScript{"r9", "train.py '--api-key=[redacted]'", "#9, 2 ranks, in /w"});
  CHECK(recent[1] == RecentScript{"r6", "train.sh 'two words'", "#6, 1 rank"});
  CHECK(recent[5].name == "s2.py");
}
