// Copies that a window keeps up to date, of a machine that is this one behind a program in place of
// ssh.
#include "gui/remote/follower.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "gui/remote/format.h"
#include "gui/remote/frame.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/studies/study_trash.h"
#include "gui/runs/trash.h"
#include "gui/session/machines/machine_controller.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/jobs.h"
#include "gui/slurm/queue_file.h"
#include "protocol/base/clock.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/slurm_programs.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a missing run does not prevent the list and other runs from being copied") {
  constexpr const char* kGone = "20261121T100000Z-aaaaaa";
  constexpr const char* kOpened = "20261121T110000Z-bbbbbb";
  constexpr const char* kListed = "20261121T120000Z-cccccc";
  RemoteRig there;
  for (const char* id : {kOpened, kListed})
    support::make_run(there.rig.runs(), id, support::demo_small(2));
  const auto copies = there.rig.path() / "copies";
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  follower.watch(kGone);
  follower.watch(kOpened);
  for (const char* id : {kOpened, kListed}) {
    INFO(id);
    CHECK(wait_until(20, [&] { return std::filesystem::exists(copies / id / "node_0.log"); }));
  }
  REQUIRE(wait_until(20, [&] { return follower.state().listed; }));
  CHECK(wait_until(20, [&] { return follower.state().sentence.empty(); }));
  // The copy of a run that is deleted on its machine is removed.
  std::filesystem::remove_all(there.rig.runs() / kListed);
  CHECK(wait_until(20, [&] { return !std::filesystem::exists(copies / kListed); }));
  CHECK(std::filesystem::exists(copies / kOpened));
}

TEST_CASE("the copy of a run on several nodes is updated, and ends, on all of them") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  RemoteRig there;
  const auto run = support::make_run(there.rig.runs(), kId, support::demo_small(2));
  std::filesystem::copy_file(run.log_path(0), run.log_path(1));
  wire::AgentEndpoint endpoint;
  endpoint.run_id = kId;
  endpoint.telemetry_endpoint = endpoint.viewer_endpoint = "tcp://127.0.0.1:1";
  const std::string key(40, 'k');
  endpoint.server_public_key = endpoint.client_public_key = endpoint.client_secret_key = key;
  endpoint.agent_pid = 1;
  endpoint.host = "another-machine";
  for (const Node node : {0, 1})
    REQUIRE(wire::write_agent_endpoint(run.agent_path(node), endpoint));
  const auto copies = there.rig.path() / "copies";
  const runlog::RunFolder copy(copies / kId);
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, false}, nullptr,
                            nullptr);
  follower.watch(kId);
  REQUIRE(wait_until(20, [&] { return std::filesystem::exists(copy.log_path(1)); }));
  CHECK(runlog::copy_mark(copy) == runlog::CopyMark{"ssh://box", {0, 1}});
  for (const Node node : {0, 1}) {
    CHECK_FALSE(std::filesystem::exists(copy.agent_path(node)));
    std::filesystem::remove(run.agent_path(node));
  }
  CHECK(wait_until(20, [&] { return runlog::copy_mark(copy) == runlog::CopyMark{"ssh://box"}; }));
}

TEST_CASE("a copy made by an older version is marked like others when it is updated") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  RemoteRig there;
  support::make_run(there.rig.runs(), kId, support::demo_small(1));
  const auto copies = there.rig.path() / "copies";
  const runlog::RunFolder copy(copies / kId);
  std::filesystem::create_directories(copy.path());
  std::ofstream(copies / ".slurm_queue.json").put('\n');
  std::ofstream(copy.agent_path()) << "{}";
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  follower.watch(kId);
  CHECK(wait_until(20, [&] { return !std::filesystem::exists(copy.agent_path()); }));
  CHECK(runlog::copy_mark(copy) == runlog::CopyMark{"ssh://box"});
}

TEST_CASE("a copied run has ended when the last byte of its last node has been copied") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  RemoteRig there;
  const auto run = support::make_run(there.rig.runs(), kId, support::demo_small(2));
  const std::string all = text_of(run.log_path(0));
  std::ofstream(run.log_path(1), std::ios::binary) << all.substr(0, all.size() / 2);
  // The agent of node 0 is gone already; that of node 1 records the end of the run.
  std::optional<runlog::FolderLock> agent(*runlog::FolderLock::take(run, 1));
  const auto copies = there.rig.path() / "copies";
  const runlog::RunFolder copy(copies / kId);
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  follower.watch(kId);
  REQUIRE(wait_until(20, [&] { return text_of(copy.log_path(1)).size() == all.size() / 2; }));
  CHECK(runlog::copy_mark(copy) == runlog::CopyMark{"ssh://box", {0, 1}});
  std::ofstream(run.log_path(1), std::ios::binary | std::ios::app) << all.substr(all.size() / 2);
  agent.reset();
  REQUIRE(wait_until(20, [&] { return runlog::copy_mark(copy)->live.empty(); }));
  for (const Node node : {0, 1}) CHECK(text_of(copy.log_path(node)) == all);
}

TEST_CASE("studies of another machine are copied: their files, deleted ones, and changes") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  RemoteRig there;
  support::make_run(there.rig.runs(), kId, support::demo_small(1));
  runs::Study study;
  study.head = {"S-07", "demo", "demo", 1, 1};
  study.settings = {{"baseline-1", {kId}, {}, {}}};
  // The run's folder also has a copy of the study, from which it would be rebuilt.
  REQUIRE(runs::write_study(there.rig.runs(), study, {runlog::RunFolder(there.rig.runs() / kId)}));
  const auto copies = there.rig.path() / "copies";
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  const auto titles = [&] {
    std::string text;
    for (const runs::Study& one : runs::list_studies(copies))
      text += one.head.study + " " + one.head.title + one.problem + "\n";
    return text;
  };
  CHECK(wait_until(20, [&] { return titles() == "S-07 demo\n"; }));
  study.head.title = "renamed";
  REQUIRE(runs::write_study(there.rig.runs(), study));
  CHECK(wait_until(20, [&] { return titles() == "S-07 renamed\n"; }));
  REQUIRE(runs::trash_study(there.rig.runs(), "S-07", {}));
  CHECK(wait_until(20, [&] { return titles().empty(); }));
  REQUIRE(runs::restore_study(there.rig.runs(), "S-07", {}));
  CHECK(wait_until(20, [&] { return titles() == "S-07 renamed\n"; }));
}

TEST_CASE("a helper that hangs is given up, and another one continues where it was") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  RemoteRig there;
  const auto copies = there.rig.path() / "copies";
  std::atomic<bool> lost = false;
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true, 4000},
                            nullptr, [&lost](const remote::FollowState& now) {
                              const bool silent =
                                  now.sentence.find("does not answer") != now.sentence.npos;
                              if (now.contact == remote::Contact::kLost && silent) lost = true;
                            });
  REQUIRE(wait_until(20, [&] { return follower.state().contact == remote::Contact::kThere; }));
  there.hang();
  REQUIRE(wait_until(60, [&] { return lost.load(); }));
  support::make_run(there.rig.runs(), kId, support::demo_small(1));
  CHECK(wait_until(60, [&] { return std::filesystem::exists(copies / kId / "node_0.log"); }));
  CHECK(wait_until(60, [&] { return follower.state().contact == remote::Contact::kThere; }));
}

TEST_CASE("a machine whose helpers all hang does not count as reached when it greets") {
  RemoteRig there;
  const auto copies = there.rig.path() / "copies";
  std::atomic<int> came = 0;
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true, 4000},
                            nullptr, [&came](const remote::FollowState& now) {
                              if (now.contact == remote::Contact::kThere) ++came;
                            });
  REQUIRE(wait_until(20, [&] { return follower.state().listed; }));
  // The greeting comes from a file, and then the helper hangs.
  const std::string hello = (there.rig.path() / "hello").string();
  std::ofstream(hello, std::ios::binary)
      << remote::kGreeting
      << remote::encode(remote::FrameKind::kHello, 0,
                        R"({"protocol":)" + std::to_string(remote::kProtocol) +
                            R"(,"version":"1","host":"box"})");
  there.ssh_does("cat " + hello + "; exec cat >/dev/null");
  there.hang();
  REQUIRE(wait_until(60, [&] { return follower.state().contact == remote::Contact::kLost; }));
  const int before = came;
  const std::size_t calls = there.calls().size();
  REQUIRE(wait_until(60, [&] { return there.calls().size() > calls + 1; }));
  CHECK(came == before);
  CHECK(follower.state().contact == remote::Contact::kLost);
}

TEST_CASE("copies have the numbers that their machine shows, whatever is deleted there") {
  constexpr const char* kIds[] = {"20261121T100000Z-aaaaaa", "20261121T110000Z-bbbbbb",
                                  "20261121T120000Z-cccccc"};
  RemoteRig there;
  std::vector<runlog::RunFolder> made;
  for (const char* id : kIds)
    made.push_back(support::make_run(there.rig.runs(), id, support::demo_small(1)));
  REQUIRE(runs::move_to_trash(there.rig.runs(), made[0]));
  const auto copies = there.rig.path() / "copies";
  const auto numbers = [](const std::filesystem::path& folder) {
    std::map<RunId, int> all;
    const auto listed = runs::list_runs(folder);
    for (const auto& run : listed.value()) all[run.folder.id()] = run.number;
    return all;
  };
  const auto same = [&] { return numbers(copies) == numbers(there.rig.runs()); };
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  REQUIRE(wait_until(20, same));
  CHECK(numbers(copies) == std::map<RunId, int>{{kIds[1], 2}, {kIds[2], 3}});
  REQUIRE(runs::move_to_trash(there.rig.runs(), made[1]));
  REQUIRE(wait_until(20, same));
  CHECK(numbers(copies) == std::map<RunId, int>{{kIds[2], 3}});
}

TEST_CASE("the copy of a run that was deleted on its machine is removed at the next connection") {
  constexpr const char* kStays = "20261121T100000Z-aaaaaa";
  constexpr const char* kGone = "20261121T110000Z-bbbbbb";
  RemoteRig there;
  support::make_run(there.rig.runs(), kStays, support::demo_small(1));
  const auto copies = there.rig.path() / "copies";
  support::make_run(copies, kGone, support::demo_small(1));
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  REQUIRE(wait_until(20, [&] { return follower.state().listed; }));
  CHECK(std::filesystem::exists(copies / kStays));
  CHECK_FALSE(std::filesystem::exists(copies / kGone));
}

// The local Slurm has a different job of the same number.
TEST_CASE(
    "a copied run shows the state of its job in the other machine's queue, and how the job ended") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  const SlurmPrograms programs;
  programs.program("squeue", "echo '7|PENDING||Resources'\n");
  RemoteRig there;
  const auto state = there.rig.path() / "state";
  const slurm::Variable here("XDG_STATE_HOME", (state / "here").string());
  there.ssh_does("export XDG_STATE_HOME='" + (state / "there").string() + "'");
  slurm::QueueFile other;
  other.asked_wall_ns = SystemClock().wall_ns();
  other.queue["7"] = {"COMPLETED", "None", "n1"};
  slurm::write_queue_file(other);
  const runlog::RunFolder run(there.rig.runs() / kId);
  std::filesystem::create_directories(run.path());
  std::ofstream(run.spec_path()) << "name = \"x\"\n";
  slurm::JobFile job{"7", {}, SystemClock().wall_ns(), {}};
  REQUIRE(slurm::write_job_file(run, job));
  const auto copies = there.rig.path() / "copies";
  const runlog::RunFolder copy(copies / kId);
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  const auto state_is = [&](const char* word) {
    const auto shown = slurm::job_of(copy);
    CHECK((!shown || shown->report.state != "COMPLETED"));
    return shown && shown->report.state == word;
  };
  REQUIRE(wait_until(20, [&] { return state_is("PENDING"); }));
  CHECK(runs::read_summary({copy, 1}).state.word == "queued");
  slurm::refresh(copies);
  const std::string calls = programs.called("squeue");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 1);  // one call, by the helper
  // The other machine stores the end in the run's folder, and squeue's last answer is older.
  job.end = slurm::JobReport{"CANCELLED", "None", {}};
  REQUIRE(slurm::write_job_file(run, job));
  {
    const slurm::Variable of_there("XDG_STATE_HOME", (state / "there").string());
    slurm::note_state("7", {"PENDING", "Priority", {}});
  }
  CHECK(wait_until(20, [&] { return !slurm::is_open(copy); }));
  CHECK(state_is("CANCELLED"));
  CHECK(runs::read_summary({copy, 1}).state.word == "stopped");
}

TEST_CASE("a job that waits for days is not updated with every listing") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  const SlurmPrograms programs;
  programs.program("squeue", "echo '7|PENDING||Resources'\n");
  RemoteRig there;
  const slurm::Variable state("XDG_STATE_HOME", (there.rig.path() / "state").string());
  const runlog::RunFolder run(there.rig.runs() / kId);
  std::filesystem::create_directories(run.path());
  std::ofstream(run.spec_path()) << "name = \"x\"\n";
  REQUIRE(slurm::write_job_file(run, {"7", {}, SystemClock().wall_ns(), {}}));
  const auto copies = there.rig.path() / "copies";
  remote::Follower follower({{"", "box", 0}, there.rig.runs().string(), copies, true}, nullptr,
                            nullptr);
  follower.watch(kId);
  REQUIRE(wait_until(20, [&] {
    const auto shown = slurm::job_of(runlog::RunFolder(copies / kId));
    return shown && shown->report.state == "PENDING" && follower.state().listed;
  }));
  const std::uint64_t before = follower.state().brought;
  // Runs are listed once for each of them, and all are copied completely.
  constexpr int kRuns = 6;
  for (int i = 0; i < kRuns; ++i) {
    const std::string id = "20261121T11000" + std::to_string(i) + "Z-bbbbbb";
    support::make_run(there.rig.path() / "made", id, support::demo_small(1));
    std::filesystem::rename(there.rig.path() / "made" / id, there.rig.runs() / id);
    REQUIRE(wait_until(20, [&] { return std::filesystem::exists(copies / id / "node_0.log"); }));
  }
  // A run is also updated for each answer of squeue, which was called at most once more.
  CHECK(follower.state().brought <= before + kRuns + 2);
}

TEST_CASE("a machine that is reached again is reported once, and failed actions are repeated") {
  RemoteRig there;
  const slurm::Variable config("XDG_CONFIG_HOME", (there.rig.path() / "config").string());
  const slurm::Variable state("XDG_STATE_HOME", (there.rig.path() / "state").string());
  const auto machine = session::other_machine("ssh://box", there.rig.runs().string());
  REQUIRE(machine);
  session::Jobs jobs([] {});
  session::MessageLine line;
  session::MachineController window(*machine, jobs, line, [] {});
  const auto comes_to = [&](view::MachineContact contact) {
    return wait_until(20, [&] {
      window.update();
      return window.facts().contact == contact;
    });
  };
  REQUIRE(comes_to(view::MachineContact::kThere));
  CHECK_FALSE(window.take_return());
  there.cut();
  REQUIRE(comes_to(view::MachineContact::kLost));
  CHECK_FALSE(window.take_return());
  REQUIRE(comes_to(view::MachineContact::kThere));
  CHECK(window.take_return());
  CHECK_FALSE(window.take_return());
}
