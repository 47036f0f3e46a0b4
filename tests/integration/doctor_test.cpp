// `ringside doctor --train` and `--gpu` as people use them: with the real programs, and with
// replacements that report failures or hang.
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kTimeoutNs = 9 * kPatienceNs;

/// The programs of the build, with this script in place of ringside-check.
class OtherCheck {
 public:
  explicit OtherCheck(const std::string& script) {
    for (const char* program : {"ringside", "ringside-agent"})
      fs::copy_file(bin_dir() / program, folder_.path() / program);
    folder_.write("ringside-check", "#!/bin/sh\n" + script + "\n");
    fs::permissions(folder_.path() / "ringside-check", fs::perms::owner_all);
  }

  launch::Captured doctor(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {(folder_.path() / "ringside").string(), "doctor"});
    return launch::capture(arguments, kTimeoutNs).value();
  }
  fs::path path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

}  // namespace

TEST_CASE("doctor --train passes its checks of sums, losses, times and ends on this machine") {
  CliRig rig;
  const auto captured = launch::capture(
      {(bin_dir() / "ringside").string(), "doctor", "--train", "--quick", "--json"}, kTimeoutNs);
  REQUIRE(captured);
  INFO(captured->output);
  INFO(captured->errors);
  CHECK(captured->exit_code == 0);
  const auto json = nlohmann::json::parse(captured->output);
  CHECK(json.at("healthy") == true);
  REQUIRE(json.at("checks").size() == 8);
  for (const auto& check : json.at("checks")) {
    INFO(check.dump());
    const std::string outcome = check.at("outcome");
    const bool noisy = check.at("reason").get<std::string>().starts_with("too noisy");
    CHECK((outcome == "pass" || (outcome == "skipped" && noisy)));
    CHECK(!check.at("measures").empty());
  }
  const fs::path report(json.at("report").get<std::string>());
  CHECK(report.parent_path() == rig.path() / "state/ringside");
  CHECK(nlohmann::json::parse(read_text(report).value()).at("checks").size() == 8);
}

TEST_CASE(
    "doctor --links measures two CPU slots, the exchange of gradients between them, and their "
    "ceiling") {
  CliRig rig;
  const auto runs = (rig.path() / "runs").string();
  const auto probe = [&runs](std::vector<std::string> more) {
    std::vector<std::string> arguments{(bin_dir() / "ringside").string(),
                                       "doctor",
                                       "--links",
                                       "--quick",
                                       "--preset",
                                       "demo",
                                       "--runs-dir",
                                       runs};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return launch::capture(arguments, kTimeoutNs).value();
  };
  const auto found = probe({"--json"});
  INFO(found.output);
  INFO(found.errors);
  REQUIRE(found.exit_code == 0);
  const auto json = nlohmann::json::parse(found.output);
  CHECK(json.at("backend") == "gloo");
  CHECK(json.at("ranks") == 2);
  CHECK(json.at("sizes").size() == 12);  // 4 B to 16 MiB
  for (const auto& one : json.at("sizes")) CHECK(one.at("seconds") > 0.0);
  CHECK(json.at("expected_s") > 0.0);
  CHECK(json.at("ceiling") > 0.0);
  CHECK(fs::exists(rig.path() / "runs/probes.json"));
  const auto kept = read_text(rig.path() / "runs/probes.json").value();
  const auto refused = probe({"--set", "devices.world_size=1"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("no link") != std::string::npos);
  const auto hung =
      probe({"--limit", "1", "--set", "model.name=resnet18", "--set", "data.name=shapes"});
  CHECK(hung.exit_code == 1);
  CHECK(hung.errors.find("was ended after 1 s") != std::string::npos);
  CHECK(read_text(rig.path() / "runs/probes.json").value() == kept);
}

TEST_CASE("doctor --gpu without a GPU skips all twelve checks and says why") {
  CliRig rig;
  ::setenv("LD_LIBRARY_PATH", (test_bin_dir() / "fake_driver").c_str(), 1);
  ::setenv("FAKE_GPUS", "0", 1);
  const auto captured =
      launch::capture({(bin_dir() / "ringside").string(), "doctor", "--gpu"}, kTimeoutNs);
  REQUIRE(captured);
  INFO(captured->output);
  CHECK(captured->exit_code == 0);
  std::size_t skipped = 0;
  for (auto at = captured->output.find("skipped"); at != std::string::npos;
       at = captured->output.find("skipped", at + 1))
    ++skipped;
  CHECK(skipped == 12);
}

TEST_CASE("doctor --gpu compares NVML with nvidia-smi, and fails where CUDA cannot be used") {
  CliRig rig;
  const TempFolder tools;
  tools.write("nvidia-smi",
              "#!/bin/sh\n"
              "case $1 in\n"
              "topo) printf '\\tGPU0\\tGPU1\\nGPU0\\t X \\tNV4\\nGPU1\\tNV4\\t X \\n' ;;\n"
              "*) printf 'GPU-fa4e0000-0000-0000-0000-000000000000, Fake A6000, 30, 20.5, 1024\\n"
              "GPU-fa4e0000-0000-0000-0000-000000000001, Fake A6000, 30, 20.5, 1024\\n' ;;\n"
              "esac\n");
  fs::permissions(tools.path() / "nvidia-smi", fs::perms::owner_all);
  ::setenv("LD_LIBRARY_PATH", (test_bin_dir() / "fake_driver").c_str(), 1);
  ::setenv("FAKE_GPUS", "2", 1);
  ::unsetenv("FAKE_GPU_PID");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (tools.path().string() + ":" + path).c_str(), 1);
  const auto captured = launch::capture({(bin_dir() / "ringside").string(), "doctor", "--gpu",
                                         "--quick", "--json", "--only", "nvml", "load"},
                                        kTimeoutNs);
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE(captured);
  INFO(captured->output);
  CHECK(captured->exit_code == 1);
  const auto checks = nlohmann::json::parse(captured->output).at("checks");
  REQUIRE(checks.size() == 2);
  CHECK(checks.at(0).at("name") == "load");
  CHECK(checks.at(0).at("outcome") == "fail");
  CHECK(checks.at(0).at("reason").get<std::string>().find("the run did not finish") == 0);
  CHECK(checks.at(1).at("outcome") == "pass");
}

TEST_CASE("a check that finds wrong sums fails with both numbers and the limit") {
  CliRig rig;
  const OtherCheck other(
      "echo 'facts {\"backend\":\"gloo\",\"transport\":\"TCP\",\"ranks\":2,\"sizes\":13,"
      "\"largest_bytes\":16777216,\"wrong\":3,\"bus_bytes_per_s\":1e9}'");
  const auto captured = other.doctor({"--train", "--only", "sums"});
  INFO(captured.errors);
  CHECK(captured.exit_code == 1);
  CHECK(captured.output.find("fail") != std::string::npos);
  CHECK(captured.output.find("6 wrong sums in 13 sizes from 4 B to 16 MiB on 2 ranks (limit 0)") !=
        std::string::npos);
}

TEST_CASE("a check that hangs is ended at its limit, with all its processes") {
  CliRig rig;
  const OtherCheck other("exec " + (test_bin_dir() / "fake_rank").string() +
                         " --silent --hang-at=0 --ignore-term");
  // The folder of the check's run is in TMPDIR, and thus in the environment of all its processes.
  ::setenv("TMPDIR", other.path().c_str(), 1);
  const auto captured = other.doctor({"--train", "--only", "sums", "--limit", "2"});
  ::unsetenv("TMPDIR");
  CHECK(captured.exit_code == 1);
  CHECK(captured.output.find("it did not end in time") != std::string::npos);
  CHECK(wait_until(10, [&] { return processes_with(other.path().string()).empty(); }));
}

TEST_CASE("interrupted checks leave no process and no folder") {
  CliRig rig;
  const TempFolder place;
  ::setenv("TMPDIR", place.path().c_str(), 1);
  const pid_t pid = rig.start({"doctor", "--train", "--only", "straggler"}, rig.path() / "out");
  ::unsetenv("TMPDIR");
  const auto count = [&place] { return processes_with(place.path().string()).size(); };
  // The four processes are the check itself, the agent and two ranks.
  REQUIRE(wait_until(30, [&] { return count() >= 4; }));
  ::kill(pid, SIGINT);
  CHECK(rig.wait_exit(pid) == 130);
  CHECK(wait_until(10, [&] { return count() == 0; }));
  CHECK(fs::is_empty(place.path()));
}

TEST_CASE("options without a check are refused") {
  CliRig rig;
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {(bin_dir() / "ringside").string(), "doctor"});
    return launch::capture(arguments, kTimeoutNs)->exit_code;
  };
  CHECK(refused({"--quick"}) == 2);
  CHECK(refused({"--train", "--gpu"}) == 2);
  CHECK(refused({"--train", "--only", "smus"}) == 2);
}
