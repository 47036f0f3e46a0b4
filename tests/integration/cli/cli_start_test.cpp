// The time between the creation of a run folder, or the start of a resume, and its agent's start,
// which these tests extend: the agent waits for a line.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

/// Programs in which the agent of a run starts only on request.
struct SlowRig : CliRig {
  SlowRig() {
    const fs::path programs = path() / "programs";
    fs::create_directories(programs);
    fs::copy_file(bin_dir() / "ringside", programs / "ringside");
    REQUIRE(::mkfifo(gate().c_str(), 0600) == 0);
    std::ofstream(programs / "ringside-agent")
        << "#!/bin/sh\n[ \"$1\" = --inventory ] || read line < '" << gate().string() << "'\nexec '"
        << (bin_dir() / "ringside-agent").string() << "' \"$@\"\n";
    fs::permissions(programs / "ringside-agent", fs::perms::owner_all);
    use_programs_in(programs);
  }
  fs::path gate() const { return path() / "gate"; }
  /// Returns when the waiting agent has received the line.
  void let_the_agent_start() const { std::ofstream(gate()) << "\n"; }
  std::string endless() const { return experiment(2, {"--steps=100000"}); }
};

runlog::RunFolder only_run(const CliRig& rig) {
  fs::path found;
  REQUIRE(wait_until(20, [&] {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(rig.runs(), ignored)) found = entry.path();
    return !found.empty() && fs::exists(found / "spec.toml", ignored);
  }));
  return runlog::RunFolder(found);
}

}  // namespace

TEST_CASE("R11: a run whose agent is still starting is shown as starting, and can be stopped") {
  SlowRig rig;
  const pid_t run = rig.start({"run", rig.endless(), "--detach"}, rig.path() / "run.txt");
  const auto folder = only_run(rig);
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("state") == "starting");
  CHECK(shown.at("live") == true);
  const pid_t stop = rig.start({"stop", "last"}, rig.path() / "stop.txt");
  rig.let_the_agent_start();
  CHECK(rig.wait_exit(stop) == 0);
  CHECK(rig.wait_exit(run) == 0);
  CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "stopped");
  CHECK_FALSE(runlog::FolderLock::is_held(folder));
}

TEST_CASE("R11: a stop while a run is being resumed stops the resumed run") {
  SlowRig rig;
  const pid_t run = rig.start({"run", rig.endless(), "--detach"}, rig.path() / "run.txt");
  const auto folder = only_run(rig);
  rig.let_the_agent_start();
  REQUIRE(rig.wait_exit(run) == 0);
  REQUIRE(wait_for_steps(folder, 0, 3, 20));
  REQUIRE(rig.ringside({"stop", "last"}).exit_code == 0);
  REQUIRE(folder.attempts() == 1);
  const pid_t resume = rig.start({"resume", "last", "--detach"}, rig.path() / "resume.txt");
  REQUIRE(wait_until(20, [&] { return runlog::FolderLock::is_held(folder); }));
  CHECK(rig.ringside({"resume", "last", "--detach"}).exit_code == 2);
  const pid_t stop = rig.start({"stop", "last"}, rig.path() / "stop.txt");
  rig.let_the_agent_start();
  CHECK(rig.wait_exit(stop) == 0);
  CHECK(rig.wait_exit(resume) == 0);
  CHECK_FALSE(runlog::FolderLock::is_held(folder));
  CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "stopped");
}

TEST_CASE("an agent that does not start leaves no run and no lock") {
  SlowRig rig;
  std::ofstream(rig.path() / "programs" / "ringside-agent")
      << "#!/bin/sh\n[ \"$1\" = --inventory ] || exit 3\nexec '"
      << (bin_dir() / "ringside-agent").string() << "' \"$@\"\n";
  const auto refused = rig.ringside({"run", rig.endless(), "--detach"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("the agent exited before the run started") != std::string::npos);
  CHECK(fs::is_empty(rig.runs()));
}
