// Ranks in containers, with a fake `docker` whose processes belong to a service and have only the
// variables that are passed on explicitly.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "gui/runs/find_run.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const std::string kSource = "tests/integration/cli/fake_docker.py";

/// The service, with its `docker` first in PATH.
class Docker {
 public:
  explicit Docker(CliRig& rig) : old_path_(::getenv("PATH")) {
    const auto bin = rig.path() / "bin";
    std::filesystem::create_directories(bin);
    std::filesystem::copy_file(source_dir() / kSource, bin / "docker");
    std::filesystem::permissions(bin / "docker", std::filesystem::perms::owner_all);
    ::setenv("FAKE_DOCKER", (rig.path() / "docker.socket").c_str(), 1);
    ::setenv("PATH", (bin.string() + ":" + old_path_).c_str(), 1);
    std::vector<std::string> words = {(bin / "docker").string(), "service"};
    service_ = ::fork();
    if (service_ == 0) {
      ::execl(words[0].c_str(), words[0].c_str(), words[1].c_str(), nullptr);
      ::_exit(127);
    }
    REQUIRE(wait_until(20, [&] { return std::filesystem::exists(rig.path() / "docker.socket"); }));
  }
  ~Docker() {
    ::kill(service_, SIGKILL);
    ::waitpid(service_, nullptr, 0);
    ::setenv("PATH", old_path_.c_str(), 1);
  }

 private:
  std::string old_path_;
  pid_t service_ = -1;
};

}  // namespace

TEST_CASE(
    "Ranks in containers are shown with their steps, and docker's command line is in the log") {
  CliRig rig;
  const Docker docker(rig);
  const auto ran = rig.ringside(
      {"run", "--ranks", "2", "--devices", "cpu", "--json", "--", "docker", "run", "--rm", "image",
       (test_bin_dir() / "fake_rank").string(), "--steps=20", "--step-ms=2"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  const runlog::RunFolder folder(
      last_line_json(ran.output).at("runs").at(0).at("folder").get<std::string>());
  CHECK(wait_for_steps(folder, 0, 20, 1));
  CHECK(wait_for_steps(folder, 1, 20, 1));
  const auto told = notice_with(folder, "container");
  REQUIRE(told);
  CHECK(told->text.find("docker gets --volume " + folder.path().string()) != std::string::npos);
  CHECK(told->text.find("--network host") != std::string::npos);
}

TEST_CASE("R1: no container of a rank survives an immediate stop or the end of the agent") {
  for (const bool stop : {true, false}) {
    CAPTURE(stop);
    CliRig rig;
    const Docker docker(rig);
    const auto begun =
        rig.ringside({"run", "--ranks", "2", "--devices", "cpu", "--detach", "--", "docker", "run",
                      "image", (test_bin_dir() / "fake_rank").string(), "--steps=1000000",
                      "--ignore-term", "--ignore-ask"});
    INFO(begun.errors);
    REQUIRE(begun.exit_code == 0);
    const auto run = runs::find_run(rig.runs(), "last");
    REQUIRE(run);
    const auto pids = rank_pids(run->folder, 2);
    REQUIRE(pids.size() == 2);
    if (stop) {
      CHECK(rig.ringside({"stop", "last", "--now"}).exit_code == 0);
    } else {
      const auto agent = wire::read_agent_endpoint(run->folder.agent_path());
      REQUIRE(agent);
      ::kill(agent->agent_pid, SIGKILL);
    }
    for (const pid_t pid : pids) CHECK(wait_until(20, [pid] { return ::kill(pid, 0) != 0; }));
  }
}
