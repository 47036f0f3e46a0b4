// The Launch page on Slurm: what is checked and started inside and outside of an allocation, as far
// as possible without an agent beside this test program.
#include "gui/session/launch/wanted_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <span>

#include "gui/session/window/session.h"
#include "gui/slurm/allocation.h"
#include "protocol/base/clock.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/fake_clock.h"
#include "tests/support/session_until.h"

using namespace ringside;
using namespace ringside::session;
using slurm::Variable;

namespace {

constexpr const char* kTwoGpusEach = "n[1-2], 2 nodes with 2 GPUs each";

/// The environment of a shell of `salloc --nodes=2`, and Slurm's answer about that job.
struct InAllocation : slurm::Rig {
  Variable job{"SLURM_JOB_ID", "12"};
  Variable nodes{"SLURM_JOB_NUM_NODES", "2"};
  Variable list{"SLURM_JOB_NODELIST", "n[1-2]"};
  Variable cores{"SLURM_JOB_CPUS_PER_NODE", "8(x2)"};

  InAllocation() {
    program("srun", "");
    program("sbatch", "13");
    program("scontrol", "JobId=12 JobState=RUNNING NumNodes=2 TresPerNode=gres:gpu:2");
  }
  void is_silent() const {
    failing("scontrol", "slurm_load_jobs error: Unable to contact slurm controller");
  }
  void ends() { program("scontrol", "JobId=12 JobState=TIMEOUT Reason=TimeLimit NumNodes=2"); }
  std::filesystem::path runs() const { return temp.path() / "own"; }
  std::int64_t asked() const {
    const std::string calls = called("scontrol");
    return std::count(calls.begin(), calls.end(), '\n');
  }

  WantedRun wanted() const {
    WantedRun one;
    one.spec.devices.kind = "auto";
    one.spec.program.argv = {"/bin/true"};
    one.spec.baseline.mode = "none";
    one.form.set_there(place::local_place());
    one.form.edit("slurm.where", "Slurm job 12");
    one.runs_dir = runs();
    return one;
  }
};

bool fails(std::span<const view::CheckView> checks, const std::string& with) {
  return std::any_of(checks.begin(), checks.end(), [&](const view::CheckView& check) {
    return check.state == view::CheckState::kFail && check.detail.find(with) != std::string::npos;
  });
}

/// The parts of the window that are behind the views.
struct Window {
  explicit Window(const TempFolder& folder) : session(options(folder), [] {}) {
    REQUIRE(session.start());
  }
  static Session::Options options(const TempFolder& folder) {
    ::setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
    Session::Options wanted;
    wanted.runs_dir = folder.path() / "own";
    return wanted;
  }
  template <class Holds>
  bool until(Holds&& holds) {
    return testing::until(session,
                          [&](const view::ScreenInput& input) { return holds(input.launch); });
  }
  void ask(view::Command command) { (void)session.execute({std::move(command)}); }

  Session session;
};

}  // namespace

TEST_CASE("in an allocation the preflight asks Slurm what it has, and names what is missing") {
  const InAllocation rig;
  const auto found = check_on_slurm(rig.wanted());
  REQUIRE(found.there);
  CHECK(found.there->offer().nodes == kTwoGpusEach);
  CHECK(found.argv.empty());
  CHECK(fails(found.checks, "ringside-agent"));
}

TEST_CASE("the preflight reuses Slurm's answer about the allocation for ten seconds") {
  InAllocation rig;
  support::FakeClock clock;
  clock.set(5, 5);
  WantedRun run = rig.wanted();
  const auto check = [&] {
    auto found = check_on_slurm(run, clock);
    run.form.set_there(found.there);
    run.answered_mono_ns = found.answered_mono_ns;
    return found;
  };
  CHECK(check().answered_mono_ns == 5);
  rig.ends();
  clock.advance(kToldForNs - 1);
  const auto held = check();
  CHECK(rig.asked() == 1);
  CHECK(held.answered_mono_ns == 5);
  CHECK_FALSE(fails(held.checks, "is over"));
  SECTION("not for longer") {
    clock.advance(1);
    CHECK(fails(check().checks, "is over"));
    CHECK(rig.asked() == 2);
  }
  SECTION("a start asks again") {
    const auto started = start_in_place(run);
    REQUIRE_FALSE(started);
    CHECK(started.error().message.find("is over") != std::string::npos);
    CHECK(rig.asked() == 2);
  }
}

TEST_CASE("a missing answer of Slurm is not reused") {
  InAllocation rig;
  rig.is_silent();
  WantedRun run = rig.wanted();
  const support::FakeClock clock{};
  run.answered_mono_ns = check_on_slurm(run, clock).answered_mono_ns;
  CHECK_FALSE(run.answered_mono_ns);
  rig.ends();
  CHECK(fails(check_on_slurm(run, clock).checks, "is over"));
}

TEST_CASE("nothing starts in an ended allocation, and no job is queued instead") {
  InAllocation rig;
  rig.ends();
  const auto found = check_on_slurm(rig.wanted());
  CHECK(fails(found.checks, "is over: its time limit was reached"));
  const auto started = start_in_place(rig.wanted());
  REQUIRE_FALSE(started);
  CHECK(started.error().kind == ErrorKind::kRequest);
  CHECK(started.error().message.find("Slurm job 12") != std::string::npos);
  CHECK(rig.called("srun").empty());
  CHECK(rig.called("sbatch").empty());
  CHECK_FALSE(std::filesystem::exists(rig.runs()));
}

TEST_CASE("while Slurm does not answer, auto keeps its last answer instead of choosing CPU ranks") {
  const InAllocation rig;
  rig.is_silent();
  WantedRun run = rig.wanted();
  const auto refused = start_in_place(run);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("it is not known how many GPUs") == 0);
  CHECK(fails(check_on_slurm(run).checks, "Unable to contact slurm controller"));
  auto told = *slurm::own_allocation();
  told.gpus_per_node = 2;
  told.gpus_unknown.clear();
  run.form.set_there(place::on_slurm({}, told));
  const auto found = check_on_slurm(run);
  CHECK(found.there->offer().nodes == kTwoGpusEach);
  CHECK_FALSE(fails(found.checks, "it is not known"));
}

TEST_CASE("an allocation whose record Slurm has dropped has ended") {
  const InAllocation rig;
  rig.failing("scontrol", "slurm_load_jobs error: Invalid job id specified");
  const auto started = start_in_place(rig.wanted());
  REQUIRE_FALSE(started);
  CHECK(started.error().message.find("is over: Slurm does not know it any more") !=
        std::string::npos);
}

TEST_CASE("a window that was started inside an allocation offers it, and shows when it has ended") {
  InAllocation rig;
  Window window(rig.temp);
  const auto offer = [&] { return window.session.input().launch.slurm->there()->offer(); };
  REQUIRE(window.session.input().launch.slurm != nullptr);
  REQUIRE(offer().inside);
  CHECK(offer().nodes == "n[1-2], 2 nodes");
  // Slurm is asked for facts that are not in the environment.
  CHECK(window.until([&](const auto&) { return offer().nodes == kTwoGpusEach; }));
  CHECK_FALSE(window.session.input().launch.slurm->on());
  // Another machine is chosen as on every page, and nothing changes before that.
  window.ask(view::EditField{"slurm.where", view::label::kAnotherMachine});
  CHECK(window.session.input().sheets.machines);
  CHECK_FALSE(window.session.input().launch.slurm->on());
  window.ask(view::ShowMachines{false});
  rig.ends();
  window.ask(view::EditField{"slurm.where", "Slurm job 12"});
  CHECK(window.session.input().launch.slurm->on());
  CHECK(window.until([](const auto& input) { return fails(input.checks, "is over"); }));
  window.ask(view::StartRun{});
  CHECK(window.until([](const auto& input) {
    return !input.busy && input.problem.find("is over") != std::string::npos;
  }));
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("typing into the form inside an allocation does not query Slurm for every character") {
  const InAllocation rig;
  Window window(rig.temp);
  const auto offer = [&] { return window.session.input().launch.slurm->there()->offer(); };
  REQUIRE(window.until([&](const auto&) { return offer().nodes == kTwoGpusEach; }));
  const std::int64_t began_ns = mono_now_ns();
  window.ask(view::EditField{"slurm.where", "Slurm job 12"});
  REQUIRE(window.until([&](const auto&) { return rig.asked() == 2; }));
  window.ask(view::EditField{"slurm.nodes", "3"});
  REQUIRE(window.until(
      [](const auto& input) { return fails(input.checks, "inside which this is, has 2"); }));
  if (mono_now_ns() - began_ns < kToldForNs) CHECK(rig.asked() == 2);
}

TEST_CASE("the devices of this machine are shown without waiting for Slurm") {
  const InAllocation rig;
  const auto answer = rig.temp.path() / "answer";
  REQUIRE(::mkfifo(answer.c_str(), 0600) == 0);
  std::fstream slurm(answer);  // opened at both ends, so that opening does not block
  rig.temp.write("bin/scontrol", "#!/bin/sh\nhead -n 1 '" + answer.string() + "'\n");
  Window window(rig.temp);
  CHECK(window.until([](const auto& input) { return !input.checks.empty(); }));
  const auto nodes = [&] { return window.session.input().launch.slurm->there()->offer().nodes; };
  CHECK(nodes() == "n[1-2], 2 nodes");
  slurm << "JobId=12 JobState=RUNNING NumNodes=2 TresPerNode=gres:gpu:2" << std::endl;
  CHECK(window.until([&](const auto&) { return nodes() == kTwoGpusEach; }));
}

TEST_CASE("a window on a machine without Slurm offers no allocation") {
  const TempFolder folder;
  const Variable none("SLURM_JOB_ID", "");
  const Variable path("PATH", "/nonexistent");
  const Window window(folder);
  CHECK(window.session.input().launch.slurm == nullptr);
}
