// `ringside run --on-alert`: a real program is called once for each event.
#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>

#include "protocol/base/byte_file.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
namespace fs = std::filesystem;

namespace {

/// A program that writes a line per call: the alert, the rank, the step, the state of the run.
fs::path a_program(const CliRig& rig, const std::string& more = "") {
  const fs::path path = rig.path() / "on alert";
  std::ofstream(path) << "#!/bin/sh\n"
                      << "echo \"$RINGSIDE_ALERT|$RINGSIDE_RANK|$RINGSIDE_STEP|$RINGSIDE_RUN|"
                         "$RINGSIDE_RUN_NAME|$#\" >> '"
                      << (rig.path() / "told").string() << "'\n"
                      << more << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

/// Lines without alerts that depend on this machine: it may be busy, and its disk nearly full.
std::vector<std::string> told(const CliRig& rig) {
  std::vector<std::string> lines;
  std::ifstream file(rig.path() / "told");
  for (std::string line; std::getline(file, line);) {
    const std::string alert = line.substr(0, line.find('|'));
    if (alert != "slow_steps" && alert != "late_rank" && alert != "disk_low") lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("on-alert: a broken loss names its rank, and the end of the run is reported") {
  CliRig rig;
  const fs::path program = a_program(rig);
  const auto captured =
      rig.ringside({"run",
                    rig.experiment(2, {"--steps=300", "--step-ms=10", "--loss=1.5", "--nan-at=40",
                                       "--only-rank=1"}),
                    "--on-alert", program.string(), "--json"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 1);
  const std::string run = last_line_json(captured.output)["experiment"].get<std::string>();
  const auto lines = told(rig);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "loss_not_finite|1|40|" + run + "|test|0");
  CHECK(lines[1] == "run_finished||299|" + run + "|test|0");
}

TEST_CASE("on-alert: an empty value, a folder and a missing file are one clear sentence each") {
  CliRig rig;
  fs::create_directories(rig.path() / "folder");
  const std::string folder = (rig.path() / "folder").string();
  const std::pair<std::string, std::string> wrong[] = {
      {"", "a program"}, {folder, folder + " is a folder"}, {folder + "/no", "No such file"}};
  for (const auto& [value, why] : wrong) {
    const auto said = rig.ringside({"run", rig.experiment(1, {"--steps=1"}), "--on-alert", value});
    INFO(said.errors);
    CHECK(said.exit_code == 2);
    CHECK(said.errors.find("--on-alert") != std::string::npos);
    CHECK(said.errors.find(why) != std::string::npos);
    CHECK(std::count(said.errors.begin(), said.errors.end(), '\n') == 1);
  }
}

TEST_CASE("run prints errors to standard error as they come, and none of them to standard output") {
  CliRig rig;
  const auto ran = rig.ringside({"run",
                                 rig.experiment(2, {"--steps=200", "--step-ms=10", "--loss=1.5",
                                                    "--nan-at=40", "--only-rank=1"}),
                                 "--json"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 1);
  const auto alerts = rig.json_of({"show", "last", "--json"}).at("alerts");
  const auto broken = std::find_if(alerts.begin(), alerts.end(), [](const auto& alert) {
    return alert.at("kind") == "loss_not_finite";
  });
  REQUIRE(broken != alerts.end());
  // The number of affected steps grows while the run is active.
  const auto text = broken->at("text").get<std::string>();
  const std::string line = "error  " + text.substr(0, text.find(", in "));
  const auto at = ran.errors.find(line);
  REQUIRE(at != std::string::npos);
  CHECK(ran.errors.find("error  ", at + 1) == std::string::npos);
  CHECK(nlohmann::json::parse(ran.output).contains("runs"));
}

TEST_CASE(
    "a run whose last loss is NaN counts as failed in every command, unless that is allowed") {
  const CliRig rig;
  const std::string experiment =
      rig.experiment(2, {"--steps=60", "--loss=1.5", "--nan-at=20", "--only-rank=1"});
  const fs::path program = a_program(rig);
  const bool may = GENERATE(false, true);
  auto command =
      std::vector<std::string>{"run", experiment, "--on-alert", program.string(), "--json"};
  if (may) command.insert(command.end(), {"--set", "train.stop_on=never"});
  const auto ran = rig.ringside(command);
  INFO(ran.errors);
  CHECK(ran.exit_code == (may ? 0 : 1));
  const std::string sentence = "the loss at its end is NaN or Inf: it counts as failed";
  CHECK((ran.errors.find(sentence) != std::string::npos) == !may);
  const auto result = last_line_json(ran.output).at("runs").at(0);
  CHECK(result.at("loss_not_finite") == true);
  CHECK(result.at("state") == "finished");
  CHECK(result.at("final_loss").is_null());
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("loss_not_finite") == true);
  CHECK(shown.at("spec").at("train").at("stop_on") == (may ? "never" : "none"));
  CHECK(rig.ringside({"show", "last"}).output.find("NaN/Inf") != std::string::npos);
  CHECK(rig.ringside({"report", "last"}).output.find("finished, NaN/Inf") != std::string::npos);
  CHECK(told(rig).back().starts_with("run_finished|"));
}

TEST_CASE("on-alert: a healthy run, and one that reports no loss, only report their end") {
  CliRig rig;
  const fs::path program = a_program(rig);
  const auto captured = rig.ringside(
      {"run", rig.experiment(2, {"--steps=60"}), "--on-alert", program.string(), "--json"});
  REQUIRE(captured.exit_code == 0);
  const auto lines = told(rig);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("run_finished||59|"));
}

TEST_CASE("on-alert: a dead rank and the failed run are two calls") {
  CliRig rig;
  const fs::path program = a_program(rig);
  const auto captured =
      rig.ringside({"run", rig.experiment(2, {"--steps=400", "--exit-at=30", "--only-rank=1"}),
                    "--on-alert", program.string(), "--json"});
  CHECK(captured.exit_code == 1);
  const auto lines = told(rig);
  REQUIRE(lines.size() >= 2);
  CHECK(lines.front().starts_with("rank_failed|1|"));
  CHECK(lines.back().starts_with("run_failed||"));
  CHECK(std::set<std::string>(lines.begin(), lines.end()).size() == lines.size());
}

TEST_CASE("a resumed run does not report its earlier failure again") {
  CliRig rig;
  const fs::path program = a_program(rig);
  const auto experiment =
      rig.experiment(2, {"--steps=100", "--exit-at=30", "--only-rank=1", "--before-attempt=1"});
  const auto failed = rig.ringside({"run", experiment});
  CHECK(failed.exit_code == 1);
  CHECK(failed.errors.find("error  ") != std::string::npos);
  const auto resumed = rig.ringside({"resume", "last", "--on-alert", program.string()});
  INFO(resumed.errors);
  CHECK(resumed.exit_code == 0);
  CHECK(resumed.errors.find("error  ") == std::string::npos);
  const auto lines = told(rig);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  INFO(all);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("restarted|"));
  CHECK(lines[1].starts_with("run_finished|"));
}

TEST_CASE("on-alert: a program that fails is reported once and does not affect the run") {
  CliRig rig;
  const fs::path program = a_program(rig, "echo no network >&2; exit 3");
  const auto captured = rig.ringside(
      {"run", rig.experiment(2, {"--steps=100", "--step-ms=10", "--loss=1.5", "--nan-at=20"}),
       "--on-alert", program.string()});
  CHECK(captured.exit_code == 1);
  const std::string sentence = "ended with 3: no network";
  const auto first = captured.errors.find(sentence);
  REQUIRE(first != std::string::npos);
  CHECK(captured.errors.find(sentence, first + 1) == std::string::npos);
  CHECK(told(rig).size() == 2);
}

TEST_CASE("on-alert: a missing program is refused before anything starts") {
  CliRig rig;
  for (const std::string program : {"/no/such/program", "no-such-program-at-all", "/etc/passwd"}) {
    const auto captured =
        rig.ringside({"run", rig.experiment(1, {"--steps=5"}), "--on-alert", program});
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(captured.errors.find("--on-alert") != std::string::npos);
    CHECK(captured.errors.find(program) != std::string::npos);
  }
  const auto alone = rig.ringside(
      {"run", rig.experiment(1, {"--steps=5"}), "--detach", "--on-alert", "/bin/true"});
  CHECK(alone.exit_code == 2);
  CHECK(alone.errors.find("--detach") != std::string::npos);
  CHECK_FALSE(fs::exists(rig.runs()));
}

TEST_CASE("Ctrl-C while a run is being resumed: exit code 130, no process left, a readable log") {
  CliRig rig;
  const auto experiment =
      rig.experiment(1, {"--steps=100000", "--exit-at=20", "--before-attempt=1"});
  REQUIRE(rig.ringside({"run", experiment}).exit_code == 1);
  for (const long delay_ms : {0L, 5L, 15L, 30L, 60L}) {
    const pid_t pid = rig.start({"resume", "last"}, rig.path() / "out");
    const timespec moment{0, delay_ms * 1'000'000};
    ::nanosleep(&moment, nullptr);
    ::kill(pid, SIGINT);
    INFO(delay_ms);
    CHECK(rig.wait_exit(pid) == 130);
    REQUIRE(wait_until(5, [&] { return processes_with(rig.runs().string()).empty(); }));
  }
  const auto run = rig.json_of({"list", "--json"}).at(0);
  CHECK(run["problem"] == "");
}
