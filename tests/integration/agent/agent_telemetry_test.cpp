// Telemetry may be lost but never disturbs training; invalid data is counted; full disks are
// survived; nothing leaks.
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>

#include "protocol/base/clock.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/sanitized.h"
#include "trainer/probe/proc_files.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

struct Counts {
  std::uint64_t produced = 0;
  std::uint64_t dropped = 0;
  bool acknowledged = false;
  double send_seconds = -1;  ///< negative: not written yet
};

Counts counts_of(const AgentRig& rig, Rank rank) {
  Counts counts;
  std::istringstream(text_of(rig.path() / ("rank_" + std::to_string(rank)))) >> counts.produced >>
      counts.dropped >> counts.acknowledged >> counts.send_seconds;
  return counts;
}

std::size_t received_of(const runlog::RunFolder& run, Rank rank) {
  std::size_t count = 0;
  for (const auto& entry : records_of(run).entries) count += entry.stamp.rank == rank ? 1 : 0;
  return count;
}

std::size_t entries_in(const std::string& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

// A disk of 1 MiB that can be filled and freed, if this user may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
    if (!mounted_) {
      std::cout << "SKIPPED: no right to mount a small file system here (" << std::strerror(errno)
                << ")\n";
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::filesystem::path& path() const { return path_; }
  void fill() const {
    std::ofstream filler(path_ / "filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (filler.write(block.data(), 4096).flush()) {
    }
  }
  void free() const { std::filesystem::remove(path_ / "filler"); }

 private:
  std::filesystem::path path_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("R8: every record is received or counted as dropped, also in a flood") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=50", "--step-ms=1", "--flood=2000",
                                    "--goodbye-ms=60000", "--counts=" + rig.path().string()});
  CHECK(rig.run({run}, 30) == 0);
  for (Rank rank = 0; rank < 2; ++rank) {
    const Counts counts = counts_of(rig, rank);
    CHECK(counts.acknowledged);
    CHECK(counts.produced >= 100'000);
    CHECK(received_of(run, rank) + counts.dropped == counts.produced);
  }
}

TEST_CASE("R8: a paused agent delays no rank, and nothing is lost when it resumes") {
  AgentRig rig;
  const auto run =
      rig.make_run(2, {"--steps=400", "--goodbye-ms=500", "--counts=" + rig.path().string()});
  const pid_t agent = rig.start({run});
  const auto ranks = rank_pids(run, 2);
  REQUIRE(wait_for_steps(run, 1, 20, 10));
  ::kill(agent, SIGSTOP);
  // Every rank exits by itself, although its goodbye is not answered: it writes its counts last.
  CHECK(wait_until(10, [&] {
    return counts_of(rig, 0).send_seconds >= 0 && counts_of(rig, 1).send_seconds >= 0;
  }));
  // Limit of the time that 400 steps of 5 ms spend on sending; on a busy machine steps take longer.
  for (Rank rank = 0; rank < 2; ++rank) CHECK(counts_of(rig, rank).send_seconds < 1.6);
  ::kill(agent, SIGCONT);
  CHECK(rig.wait_exit(agent, 10) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  for (Rank rank = 0; rank < 2; ++rank) CHECK(last_state(run, rank)->exit_code == 0);
}

TEST_CASE("R8: without agent.json a rank works without telemetry and ends normally") {
  AgentRig rig;
  const auto gate = rig.path() / "gate";
  const auto run = rig.make_run(1, {"--steps=100", "--silent", "--gate=" + gate.string()});
  const pid_t agent = rig.start({run});
  CHECK(wait_until(10, [&] { return !all_of<messages::HostSample>(records_of(run)).empty(); }));
  std::ofstream(gate) << "the host was looked at";
  CHECK(rig.wait_exit(agent, 10) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(received_of(run, 0) == 0);
}

TEST_CASE("S4: invalid frames are refused and counted, and the run continues") {
  const std::string lie = GENERATE("garbage", "token", "rank", "attempt");
  AgentRig rig;
  const auto gate = rig.path() / "gate";
  const auto run =
      rig.make_run(2, {"--steps=10", "--lie=" + lie, "--only-rank=1", "--gate=" + gate.string()});
  const pid_t agent = rig.start({run});
  REQUIRE(wait_until(20, [&] { return notice_with(run, "frames_refused").has_value(); }));
  std::ofstream(gate) << "they were counted";
  CHECK(rig.wait_exit(agent, 20) == 0);
  const auto notice = notice_with(run, "frames_refused");
  REQUIRE(notice);
  CHECK(notice->severity == messages::Severity::kWarning);
  CHECK(notice->text.find("refused") != std::string::npos);
  CHECK(last_state(run, 0)->state == State::kFinished);
}

TEST_CASE("R9: a full disk stops nothing, and the gap is reported when there is space again",
          "[tmpfs]") {
  AgentRig rig;
  SmallDisk small(rig.path() / "disk");
  if (!small.mounted()) return;
  const auto& disk = small.path();
  const auto made = rig.make_run(1, {"--steps=1000000", "--step-ms=1"});
  const runlog::RunFolder run(disk / "run");
  std::filesystem::copy(made.path(), run.path());
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 20, 10));
  small.fill();
  // The log can no longer grow, but the rank continues.
  const auto stuck = records_of(run).entries.size();
  const auto pid = rank_pids(run, 1)[0];
  const auto ticks = probe::process_stat("/", pid)->cpu_ticks;
  CHECK(wait_until(10, [&] { return probe::process_stat("/", pid)->cpu_ticks > ticks + 1; }));
  CHECK(records_of(run).entries.size() < stuck + 500);
  small.free();
  REQUIRE(wait_until(10, [&] { return notice_with(run, "log_gap").has_value(); }));
  CHECK(notice_with(run, "log_gap")->text.find("are missing") != std::string::npos);
  const auto resumed = records_of(run).entries.size();
  CHECK(wait_until(5, [&] { return records_of(run).entries.size() > resumed + 50; }));
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 10) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R9, R11: a run that ends on a full disk still records how it ended", "[tmpfs]") {
  AgentRig rig;
  SmallDisk small(rig.path() / "disk");
  if (!small.mounted()) return;
  const auto& disk = small.path();
  const auto made = rig.make_run(1, {"--steps=1000000", "--step-ms=1"});
  const runlog::RunFolder run(disk / "run");
  std::filesystem::copy(made.path(), run.path());
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 20, 10));
  const auto ranks = rank_pids(run, 1);
  small.fill();
  // The last page of the log must be full, too, which is the case when its size no longer changes.
  std::uintmax_t size = 0;
  REQUIRE(wait_until(10, [&] {
    const auto before = std::exchange(size, std::filesystem::file_size(run.log_path(0)));
    return before == size && size % 4096 > 3800;
  }));
  ::kill(ranks[0], SIGKILL);
  CHECK(rig.wait_exit(agent, 10) == 1);
  CHECK(last_state(run, kNoRank)->state == State::kFailed);
  CHECK(last_state(run, kNoRank)->text.find("rank 0: killed by SIGKILL") == 0);
  CHECK(notice_with(run, "log_gap"));
}

TEST_CASE("R6: ten agents at once do not mix their ranks or their ports") {
  AgentRig rig;
  std::vector<runlog::RunFolder> runs;
  std::vector<pid_t> agents;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(rig.make_run(2, {"--steps=20"},
                                [](messages::RunSpec& spec) { spec.devices.when_busy = "share"; }));
    agents.push_back(rig.start({runs.back()}));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CHECK(rig.wait_exit(agents[i], 40) == 0);
    const auto hellos = all_of<messages::RankHello>(records_of(runs[i]));
    REQUIRE(hellos.size() == 2);
    for (const auto& hello : hellos) CHECK(hello.world_size == 2);
    CHECK(last_state(runs[i], kNoRank)->state == State::kFinished);
    CHECK(last_state(runs[i], kNoRank)->last_step == 19);
  }
}

TEST_CASE("R14: after 200 short runs an agent has no extra descriptors, threads or memory") {
  AgentRig rig;
  std::vector<runlog::RunFolder> runs;
  for (int i = 0; i < 200; ++i) runs.push_back(rig.make_run(2, {"--steps=2", "--step-ms=1"}));
  // The last run keeps running, so that the agent can be compared with one that has had only one
  // run.
  runs.push_back(rig.make_run(2, {"--steps=1000000"}));
  const auto lone = rig.make_run(2, {"--steps=1000000"},
                                 [](messages::RunSpec& spec) { spec.devices.when_busy = "share"; });
  const pid_t agent = rig.start(runs);
  const std::string proc = "/proc/" + std::to_string(agent);
  REQUIRE(wait_for_steps(runs[4], 0, 2, 20));
  const std::size_t threads = entries_in(proc + "/task");
  const auto memory = probe::resident_bytes("/", agent);
  REQUIRE(
      wait_until(40, [&] { return last_state(runs[199], kNoRank)->state == State::kFinished; }));
  rank_pids(runs[200], 2);
  const std::string other = "/proc/" + std::to_string(rig.start({lone}));
  rank_pids(lone, 2);
  const auto memory_after = probe::resident_bytes("/", agent);
  WARN("descriptors " << entries_in(proc + "/fd") << " against " << entries_in(other + "/fd")
                      << ", threads " << threads << " -> " << entries_in(proc + "/task")
                      << ", resident " << *memory / 1024 << " -> " << *memory_after / 1024
                      << " KiB");
  // Connections that ended a moment ago may still exist.
  CHECK(wait_until(5, [&] { return entries_in(proc + "/fd") <= entries_in(other + "/fd") + 4; }));
  CHECK(entries_in(proc + "/task") <= threads + 1);
  CHECK((*memory_after < *memory + 3'000'000 || kSanitized));
}
