// `ringside run -- COMMAND`: real programs, one without telemetry and one with it.
#include <algorithm>
#include <filesystem>

#include "gui/runs/find_run.h"
#include "protocol/base/printable.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::string fake_rank() { return (test_bin_dir() / "fake_rank").string(); }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A script without telemetry runs as requested, and show says what to add") {
  const CliRig rig;
  const TempFolder place;
  place.write("train.py",
              "import os\nprint(os.environ['RANK'], os.environ['WORLD_SIZE'], os.getcwd())\n");
  const auto ran = rig.ringside({"run", "--ranks", "2", "--devices", "cpu", "--cwd",
                                 place.path().string(), "--json", "--", "train.py"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  const auto result = last_line_json(ran.output);
  CHECK(result["runs"][0]["world_size"] == 2);
  CHECK(result["runs"][0]["state"] == "finished");
  const std::filesystem::path folder = result["runs"][0]["folder"].get<std::string>();
  CHECK(text_of(folder / "attempt_0/rank_1/stdout") == "1 2 " + place.path().string() + "\n");
  const auto shown = rig.ringside({"show", "last"});
  CHECK(has(shown.output, "train.py"));
  CHECK(has(shown.output, "import ringside_rank"));
  const auto off = rig.ringside({"run", "--no-instrument", "--devices", "cpu", "--cwd",
                                 place.path().string(), "--", "train.py"});
  REQUIRE(off.exit_code == 0);
  CHECK(has(rig.ringside({"show", "last"}).output, "Instrumentation is off"));
}

TEST_CASE("A program with telemetry gets a baseline of its own, under torchrun's variables") {
  const CliRig rig;
  const auto ran = rig.ringside({"run", "--devices", "cpu", "--baseline", "run", "--json", "--",
                                 "torchrun", "--standalone", "--nproc-per-node", "2", "--no-python",
                                 fake_rank(), "--steps=20", "--step-ms=2"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  CHECK(has(ran.errors, "--standalone was left out"));
  const auto result = last_line_json(ran.output);
  REQUIRE(result["runs"].size() == 2);
  CHECK(result["runs"][0]["world_size"] == 1);
  CHECK(result["runs"][1]["world_size"] == 2);
  // The settings of a script are unknown, so it is unknown whether the two are a fair pair.
  const auto fairness = rig.json_of({"show", "last", "--json"}).at("fairness");
  CHECK(fairness.at("fair").is_null());
  CHECK(has(fairness.at("text"), "Not known"));
}

TEST_CASE("The settings of a command are printed and nothing is started") {
  const CliRig rig;
  const auto printed =
      rig.ringside({"run", "--dry-run", "--devices", "cpu", "--env", "MODE=x", "--set",
                    "limits.grace_s=5", "--restarts", "2", "--", "python3", "-c", "pass"});
  INFO(printed.errors);
  REQUIRE(printed.exit_code == 0);
  CHECK(has(printed.output, "argv = [\"python3\", \"-c\", \"pass\"]"));
  CHECK(has(printed.output, "MODE=x"));
  CHECK(has(printed.output, "restarts = 2"));
  CHECK(has(printed.output, "grace_s = 5"));
  CHECK_FALSE(std::filesystem::exists(rig.runs()));
}

TEST_CASE("The command may come after settings") {
  const CliRig rig;
  const auto printed = rig.ringside(
      {"run", "--set", "data.workers=2", "--set", "train.epochs=1", "demo", "--dry-run"});
  INFO(printed.errors);
  REQUIRE(printed.exit_code == 0);
  CHECK(has(printed.output, "workers = 2"));
  CHECK(has(printed.output, "epochs = 1"));
}

TEST_CASE("Settings are printed without secrets, and that is reported") {
  const CliRig rig;
  const auto printed =
      rig.ringside({"run", "--dry-run", "--devices", "cpu", "--env", "WANDB_API_KEY=hunter-22",
                    "--", "python3", "-c", "pass", "--db=postgres://me:hunter-23@h/x"});
  REQUIRE(printed.exit_code == 0);
  CHECK(has(printed.output, "postgres://me:[redacted]@h/x"));
  CHECK_FALSE(has(printed.output, "hunter-2"));
  CHECK(has(printed.errors, "Note: [redacted] replaces"));
}

TEST_CASE("Invalid requests with a command exit with 2 and say what to do") {
  const CliRig rig;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said) {
    const auto captured = rig.ringside(arguments);
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(has(captured.errors, said));
    CHECK(std::count(captured.errors.begin(), captured.errors.end(), '\n') == 1);
  };
  refused({"run"}, "what is to run?");
  refused({"run", "--"}, "what is to run?");
  refused({"run", "demo", "--", "python3", "train.py"}, "cannot be combined");
  refused({"run", "demo", "--ranks", "2"}, "--ranks goes with a command");
  refused({"run", "--quick", "--", "python3", "train.py"}, "--quick");
  refused({"run", "--devices", "0", "--ranks", "2", "--", "python3", "x.py"}, "1 device is named");
  refused({"run", "--devices", "cpu", "--cwd", "/no/such", "--", "python3"}, "/no/such");
  refused({"run", "--", "torchrun", "--nnodes", "2", "x.py"}, "on this machine only");
  refused({"run", "--devices", "", "--", "python3", "x.py"}, "--devices: nothing is named");
  refused({"run", "--cwd", "", "--", "python3", "x.py"}, "--cwd: nothing is named");
  refused({"run", "--baseline", "", "--", "python3", "x.py"}, "--baseline: nothing is named");
  refused({"run", "--env", "=x", "--", "python3", "x.py"}, "no name before the =");
  refused({"run", "--ranks", "0", "--", "python3", "x.py"}, "not in range 1 to 4096");
  refused({"run", "--devices", "cuda", "--", "python3", "x.py"},
          "numbers or UUIDs of GPUs, or cpu");
  refused({"run", "train.py"}, "is a script: write the command behind --");
  refused({"sweep", "./train.sh"}, "ringside sweep -- bash ./train.sh");
  refused({"run", "my train.py"}, "ringside run -- python 'my train.py'");
  refused({"run", "python3", "train.py"}, "a command of your own goes behind --");
  refused({"run", "--nosuch"}, "--nosuch; see `ringside run --help`");
  refused({"sweep", "--world", "1,2", "--strong", "--", "python3", "x.py"}, "--strong");
}

TEST_CASE(
    "Ranks that a script starts itself belong to a run of one process, and are silent in others") {
  const CliRig rig;
  const TempFolder place;
  place.write(
      "train.py",
      "import os, subprocess, sys\nimport ringside_rank as rs\n\n"
      "if 'INNER' in os.environ:\n    rs.step(loss=1.0)\n    print('active', rs.active())\n"
      "else:\n    for rank in ('0', '1'):\n"
      "        inner = dict(os.environ, INNER='1', RANK=rank, LOCAL_RANK=rank, WORLD_SIZE='2',"
      " TORCHELASTIC_RUN_ID='none')\n"
      "        subprocess.run([sys.executable, 'train.py'], env=inner, check=True)\n");
  const auto run = [&](const std::string& ranks) {
    const auto ran = rig.ringside({"run", "--ranks", ranks, "--devices", "cpu", "--cwd",
                                   place.path().string(), "--json", "--", "python3", "train.py"});
    INFO(ran.errors);
    REQUIRE(ran.exit_code == 0);
    return last_line_json(ran.output)["runs"][0];
  };
  const auto alone = run("1");
  const std::filesystem::path folder = alone["folder"].get<std::string>();
  CHECK(alone["world_size"] == 2);
  CHECK(text_of(folder / "attempt_0/rank_0/stdout") == "active True\nactive True\n");
  CHECK(text_of(folder / "attempt_0/rank_0/stderr").empty());

  const std::filesystem::path several = run("2")["folder"].get<std::string>();
  CHECK(text_of(several / "attempt_0/rank_0/stdout") == "active False\nactive False\n");
  const std::string shown = rig.ringside({"show", "last"}).output;
  CHECK(has(shown, "A launcher inside of it starts the ranks that train"));
  const std::string said = "the script starts 2 ranks itself, which report nothing";
  CHECK(has(shown, said));
  CHECK(shown.find(said) == shown.rfind(said));
}

TEST_CASE(
    "A word that is not valid UTF-8 reaches the script unchanged, and everything shown is valid") {
  CliRig rig;
  const std::string word = "caf\xE9.txt";
  const auto ran = rig.ringside({"run", "--json", "--", "sh", "-c", "printf %s \"$0\"", word});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  const auto folder = runs::find_run(rig.runs(), "last")->folder;
  CHECK(text_of(folder.rank_dir(0, 0) / "stdout") == word);
  CHECK(is_utf8(text_of(folder.spec_path())));
  CHECK(is_utf8(rig.ringside({"show", "last"}).output));
  // A folder whose name is not UTF-8 is refused, since the settings have to store it.
  const std::string cwd = (rig.path() / "d\xE9").string();
  std::filesystem::create_directories(cwd);
  const auto refused = rig.ringside({"run", "--cwd", cwd, "--", "true"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("not UTF-8") != std::string::npos);
}

TEST_CASE("A failed script is run again in the same folder") {
  const CliRig rig;
  const TempFolder place;
  place.write("train.py",
              "import os\nraise SystemExit(0 if os.environ['RINGSIDE_ATTEMPT'] != '0' "
              "else 3)\n");
  const std::string cwd = place.path().string();
  CHECK(rig.ringside({"run", "--devices", "cpu", "--cwd", cwd, "--", "python3", "train.py"})
            .exit_code == 1);
  const auto again = rig.ringside({"resume", "last"});
  INFO(again.errors);
  CHECK(again.exit_code == 0);
  CHECK(has(again.errors, "one that loads nothing begins again"));
}

TEST_CASE("A study of a command measures it on several numbers of devices") {
  const CliRig rig;
  const auto ran = rig.ringside({"sweep", "--world", "1,2", "--repeats", "1", "--devices", "cpu",
                                 "--json", "--", fake_rank(), "--steps=10", "--step-ms=2"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  CHECK(last_line_json(ran.output).is_object());
  CHECK(has(rig.ringside({"list"}).output, "weak 2"));
}

TEST_CASE("A script that hangs reports the line itself") {
  const CliRig rig;
  const TempFolder place;
  place.write("train.py",
              "import time\nimport ringside_rank as rs\n\n\ndef exchange():\n    while True:\n"
              "        time.sleep(1)\n\n\nrs.log(progress=1)\nexchange()\n");
  const auto started = rig.ringside({"run", "--ranks", "2", "--devices", "cpu", "--cwd",
                                     place.path().string(), "--detach", "--", "train.py"});
  INFO(started.errors);
  REQUIRE(started.exit_code == 0);
  std::string text;
  const bool hangs_there = wait_until(60, [&] {
    const auto told = rig.ringside({"stack", "last", "--rank", "1", "--json"});
    if (told.exit_code != 0) return false;
    const auto stacks = nlohmann::json::parse(told.output);
    text = stacks.at(0).at("text").get<std::string>();
    return has(stacks.at(0).at("tools").get<std::string>(), "faulthandler") &&
           has(text, "train.py\", line 7 in exchange");
  });
  INFO(text);
  CHECK(hangs_there);
  CHECK(rig.ringside({"stop", "last", "--now"}).exit_code == 0);
}
