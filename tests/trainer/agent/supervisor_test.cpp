// Tests the supervisor with processes that no test can create: unkillable ones, and those killed by
// the kernel for lack of memory.
#include "trainer/agent/supervisor.h"

#include <algorithm>
#include <csignal>
#include <fstream>

#include "protocol/messages/asker.h"
#include "protocol/runlog/nested_ranks.h"
#include "protocol/runlog/unsent_log.h"
#include "tests/trainer/agent/supervisor_rig.h"

using namespace ringside;
using namespace ringside::agent;
using messages::State;

namespace {

constexpr std::int64_t kSupervisorSecond = 1'000'000'000;

// Hello, `steps` steps and the goodbye of rank 0 as three batches, to be sent or left unsent.
std::vector<std::vector<std::byte>> story(std::uint64_t steps, std::int32_t attempt = 0) {
  std::vector<std::vector<std::byte>> batches(3);
  messages::RankHello hello;
  hello.attempt = attempt;
  messages::append_record(batches[0], {0, 0, 0, 1}, hello);
  for (std::uint64_t seq = 1; seq <= steps; ++seq) {
    messages::StepReport report;
    report.step = static_cast<Step>(seq) - 1;
    messages::append_record(batches[1], {0, 0, seq, 1}, report);
  }
  messages::RankGoodbye goodbye;
  goodbye.produced = static_cast<std::int64_t>(steps) + 2;
  messages::append_record(batches[2], {0, 0, steps + 1, 1}, goodbye);
  return batches;
}

std::filesystem::path leave(const runlog::RunFolder& folder, std::int32_t attempt,
                            const std::vector<std::vector<std::byte>>& batches) {
  const std::vector<std::span<const std::byte>> spans(batches.begin(), batches.end());
  const auto path = folder.unsent_path(attempt, 0);
  REQUIRE(runlog::write_unsent(path, {folder.id(), 0, 0, 0, ""}, batches.back(), spans));
  return path;
}

wire::Batch batch_of(const std::vector<std::byte>& payload, std::uint32_t records) {
  wire::Batch batch;
  batch.record_count = records;
  batch.payload = payload;
  return batch;
}

}  // namespace

TEST_CASE("R8: unsent records of a rank are logged before its end, and only once") {
  Rig rig(1);
  const auto said = story(50);
  rig.supervisor->on_batch(batch_of(said[0], 1));
  const auto file = leave(rig.item->folder, 0, said);
  rig.end(0, {0, 0});
  // The batch arrives from the kernel's buffers after the end of the rank was noticed.
  rig.supervisor->on_batch(batch_of(said[1], 50));
  const auto stamps = rig.of_rank(0);
  REQUIRE(stamps.size() == 52);
  for (std::size_t i = 0; i < 52; ++i) CHECK(stamps[i].seq == i);
  CHECK(rig.last(0).last_step == 49);
  CHECK_FALSE(std::filesystem::exists(file));
  REQUIRE(rig.notices().size() == 1);
  CHECK(rig.notices()[0].severity == messages::Severity::kInfo);
  CHECK(rig.notices()[0].text ==
        "rank 0 could not send 51 records before it ended; they were read from "
        "attempt_0/rank_0/unsent.log");
}

TEST_CASE("R8: records lost in a torn file are reported, and its goodbye has their number") {
  Rig rig(1);
  const auto file = leave(rig.item->folder, 0, story(50));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  rig.end(0, {0, 0});
  const auto stamps = rig.of_rank(0);
  REQUIRE(stamps.size() == 2);
  CHECK(stamps.back().seq == 51);
  REQUIRE(rig.notices().size() == 1);
  CHECK(rig.notices()[0].severity == messages::Severity::kWarning);
  CHECK(rig.notices()[0].text.find("which is damaged") != std::string::npos);
}

TEST_CASE("R8: an unreadable file of unsent records does not keep later batches out of the log") {
  Rig rig(1);
  const auto said = story(50);
  rig.supervisor->on_batch(batch_of(said[0], 1));
  const auto file = leave(rig.item->folder, 0, said);
  std::filesystem::resize_file(file, std::uintmax_t{65} << 20);
  rig.end(0, {0, 0});
  rig.supervisor->on_batch(batch_of(said[1], 50));
  rig.supervisor->on_batch(batch_of(said[2], 1));
  const auto stamps = rig.of_rank(0);
  REQUIRE(stamps.size() == 52);
  for (std::size_t i = 0; i < 52; ++i) CHECK(stamps[i].seq == i);
}

TEST_CASE("R8: a rank that exits without a goodbye has lost records, which is reported") {
  Rig rig(2);
  rig.supervisor->on_batch(batch_of(story(50)[0], 1));
  rig.supervisor->on_batch(batch_of(story(50)[1], 50));
  rig.end(0, {0, 0});
  rig.end(1, {-1, SIGKILL});
  const auto notices = rig.notices();
  const auto said = std::find_if(notices.begin(), notices.end(),
                                 [](const auto& one) { return one.code == "no_goodbye"; });
  REQUIRE(said != notices.end());
  CHECK(said->severity == messages::Severity::kWarning);
  CHECK(said->text ==
        "rank 0 ended without its goodbye: what it reported after step 50 is missing");
  CHECK(std::count_if(notices.begin(), notices.end(),
                      [](const auto& one) { return one.code == "no_goodbye"; }) == 1);
}

TEST_CASE(
    "R8, R11: an agent that opens the folder of a dead one takes the unsent records of its ranks") {
  Rig rig(1);
  rig.supervisor->on_batch(batch_of(story(50)[0], 1));
  rig.supervisor.reset();
  rig.item->log.reset();
  rig.item->lock.reset();
  const auto file = leave(rig.item->folder, 0, story(50));
  auto again = open_run(rig.item->folder.path(), rig.clock);
  REQUIRE(again);
  CHECK(again->attempt == 1);
  CHECK_FALSE(std::filesystem::exists(file));
  const auto stamps = rig.of_rank(0);
  REQUIRE(stamps.size() == 52);
  for (std::size_t i = 0; i < 52; ++i) CHECK(stamps[i].seq == i);
}

TEST_CASE("ranks that a launcher within a rank starts are reported once, while they run") {
  Rig rig(2);
  rig.time(2);
  CHECK(rig.nested_told().empty());
  for (const Rank rank : {0, 1}) runlog::leave_nested_ranks(rig.item->folder.rank_dir(0, rank), 4);
  rig.time(4);
  REQUIRE(rig.nested_told().size() == 1);
  CHECK(rig.nested_told()[0].starts_with(
      "inside rank 0 the script starts 4 ranks itself, which report nothing"));
  rig.time(6);
  rig.end(0, {0, 0});
  CHECK(rig.nested_told().size() == 1);
}

TEST_CASE("ranks that a launcher within a rank starts are reported even if it ends at once") {
  Rig rig(1);
  runlog::leave_nested_ranks(rig.item->folder.rank_dir(0, 0), 2);
  rig.end(0, {0, 0});
  CHECK(rig.nested_told().size() == 1);
}

TEST_CASE("output of a rank is stamped when it comes, not at the next check each second") {
  Rig rig(1);
  rig.time(2);
  const auto folder = rig.item->folder.rank_dir(0, 0);
  std::ofstream(folder / "stderr", std::ios::app) << "a warning\n";
  const auto ready = rig.poller.wait(kSupervisorSecond);
  REQUIRE(ready);
  REQUIRE(std::count(ready->begin(), ready->end(), Supervisor::kOutputTag) == 1);
  rig.clock.set(kSupervisorSecond * 9 / 4, 77);
  rig.supervisor->on_tick();
  runlog::OutputMarks marks(folder);
  REQUIRE(marks.read(0, 0));
  REQUIRE(marks.shared()->size() == 1);
  CHECK(marks.shared()->front().wall_ns == 77);
  CHECK(rig.supervisor->next_deadline_ns() <= kSupervisorSecond * 9 / 4 + 100'000'000);
}

TEST_CASE("ranks are started as planned, watched, and reaped at the end") {
  Rig rig(2);
  REQUIRE(rig.spawner.requests.size() == 2);
  CHECK(rig.spawner.requests[1].argv[0] == "/trainer");
  CHECK(std::filesystem::is_directory(rig.spawner.requests[1].folder));
  CHECK(rig.supervisor->living() == std::vector<std::int64_t>{100, 101});
  rig.end(0, {0, 0});
  CHECK(rig.supervisor->living() == std::vector<std::int64_t>{0, 101});
  CHECK_FALSE(rig.supervisor->over());
  rig.end(1, {0, 0});
  CHECK(rig.supervisor->over());
  CHECK(rig.last(kNoRank).state == State::kFinished);
  CHECK(rig.spawner.reaped.empty());
  rig.supervisor.reset();
  CHECK(rig.spawner.reaped == std::vector<pid_t>{100, 101});
}

TEST_CASE("R7: an unkillable process is reported as not dead, never as stopped") {
  Rig rig(2);
  rig.supervisor->on_stop("SIGINT", false);
  // The ranks sent nothing, so they cannot be asked: TERM at once.
  CHECK(rig.spawner.signals.front() == std::pair<pid_t, int>{100, SIGTERM});
  rig.end(0, {-1, SIGTERM});
  rig.time(2);
  CHECK(rig.spawner.signals.back() == std::pair<pid_t, int>{101, SIGKILL});
  rig.time(6.9);
  CHECK_FALSE(rig.supervisor->over());
  rig.time(7);
  CHECK(rig.supervisor->over());
  CHECK(rig.last(1).state == State::kDidNotDie);
  CHECK(rig.last(kNoRank).state == State::kDidNotDie);
  CHECK(rig.last(0).state == State::kStopped);
}

TEST_CASE("S10: the last output of a rank is logged without the secrets that it was given") {
  Rig rig(1, 0, {"MY_API_KEY=hunter-2222"});
  rig.folder.write("run/attempt_0/rank_0/stderr", "401: hunter-2222 is not known\n");
  rig.end(0, {1, 0});
  CHECK(rig.last(0).text.find("401: [redacted] is not known") != std::string::npos);
}

TEST_CASE("the error is found in an error file's traceback with causes and exception groups") {
  Rig rig(2);
  rig.folder.write(
      "run/attempt_0/rank_0/error.json",
      R"({"message": {"message": "RuntimeError: cannot resume", "extraInfo": {)"
      R"("py_callstack": "Traceback (most recent call last):\n  File \"t.py\"\nOSError: )"
      R"(disk\n\nThe above exception was the direct cause of the following exception:)"
      R"(\n\nTraceback (most recent call last):\n  File \"t.py\"\nRuntimeError: )"
      R"(cannot resume\n"}}})");
  rig.end(0, {1, 0});
  CHECK(rig.last(0).text.find("RuntimeError: cannot resume, caused by OSError: disk") !=
        std::string::npos);
}

TEST_CASE("R4: a rank that never arrives is reported, and named when another fails because of it") {
  Rig rig(2);
  const double stall_s = messages::RunSpec().limits.stall_s;
  rig.time(stall_s - 1);
  CHECK(rig.notices().empty());
  rig.time(stall_s);
  REQUIRE(rig.notices().size() == 1);
  CHECK(rig.notices()[0].code == "stall");
  CHECK(rig.notices()[0].text.find("ranks 0 and 1 silent") == 0);
  rig.folder.write("run/attempt_0/rank_1/error.json", R"({"message": "Wait timeout"})");
  rig.end(1, {1, 0});
  CHECK(rig.last(1).text.find("; before that: ranks 0 and 1 silent") != std::string::npos);
}

TEST_CASE("helpers are found, killed and waited for") {
  Rig rig(1);
  rig.spawner.left = {777};
  rig.end(0, {0, 0});
  CHECK_FALSE(rig.supervisor->over());
  rig.time(0.5);
  CHECK(rig.spawner.killed.empty());
  rig.time(1.1);
  CHECK(rig.spawner.killed == std::vector<std::int64_t>{777});
  rig.spawner.left.clear();
  rig.time(1.2);
  CHECK(rig.supervisor->over());
  CHECK(rig.last(kNoRank).state == State::kFinished);
}

TEST_CASE("an error of megabytes in a rank's error file is logged in short") {
  Rig rig(1);
  rig.folder.write("run/attempt_0/rank_0/error.json",
                   R"({"message": {"message": "ValueError: bad shape of )" +
                       std::string(5'000'000, 'y') + R"(", "extraInfo": {"py_callstack": ")" +
                       std::string(3'000'000, 'z') + R"("}}})");
  rig.end(0, {1, 0});
  const std::string told = rig.last(0).text;
  CHECK(told.find("ValueError: bad shape of yyy") != std::string::npos);
  CHECK(told.size() < 4'000);
  CHECK(rig.last(kNoRank).text.size() < 4'000);
}

TEST_CASE("R12: a kill with evidence from the kernel says so") {
  Rig rig(1);
  rig.supervisor.reset();
  rig.folder.write("proc/self/cgroup", "0::/\n");
  rig.folder.write("sys/fs/cgroup/cgroup.controllers", "memory\n");
  rig.folder.write("sys/fs/cgroup/memory.events", "oom_kill 0\n");
  auto plan =
      make_spawn_plan({rig.item->spec, rig.item->folder, 0, {{}, 4}, "/trainer", {}, 1, "m"});
  rig.spawner.requests.clear();
  rig.supervisor.emplace(
      Supervisor::Parts{rig.clock, rig.poller, *rig.telemetry, rig.spawner, rig.folder.path()},
      *rig.item, *plan, rig.policy);
  rig.supervisor->start();
  rig.folder.write("sys/fs/cgroup/memory.events", "oom_kill 1\n");
  rig.end(0, {-1, SIGKILL});
  CHECK(rig.last(kNoRank).text ==
        "rank 0: killed by SIGKILL: likely out of memory: the kernel's oom_kill count of this "
        "control group rose "
        "from 0 to 1");
}

TEST_CASE("R5: a failed attempt is not over before the wait for the next one has passed") {
  Rig rig(2, 3);
  rig.end(0, {3, 0});
  CHECK_FALSE(rig.supervisor->over());
  rig.end(1, {-1, SIGTERM});
  // The processes are gone, but the run has neither failed nor ended.
  CHECK(rig.supervisor->will_restart());
  CHECK_FALSE(rig.supervisor->over());
  CHECK(rig.last(kNoRank).state == State::kStarting);
  CHECK(rig.last(kNoRank).text ==
        "attempt 0 failed; all ranks restart in 1 s, restart 1 of 3; rank 0: exit code 3");
  CHECK(rig.last(0).state == State::kFailed);
  CHECK(rig.supervisor->next_deadline_ns() == kSupervisorSecond);
  CHECK(rig.supervisor->living() == std::vector<std::int64_t>{0, 0});
  rig.time(0.999);
  CHECK_FALSE(rig.supervisor->over());
  rig.time(1);
  CHECK(rig.supervisor->over());
}

TEST_CASE("R5: budgets are exact, waits double, and the whole group restarts in its own folder") {
  const int budget = GENERATE(0, 1, 3);
  Rig rig(2, budget);
  double now = 0;
  for (int attempt = 0; attempt <= budget; ++attempt) {
    if (attempt > 0) rig.begin_next();
    REQUIRE(rig.spawner.requests.size() == static_cast<std::size_t>(2 * (attempt + 1)));
    const auto& request = rig.spawner.requests.back();
    CHECK(request.folder == rig.item->folder.rank_dir(attempt, 1));
    const auto has = [&](const std::string& entry) {
      return std::count(request.environment.begin(), request.environment.end(), entry) == 1;
    };
    CHECK(has("RINGSIDE_ATTEMPT=" + std::to_string(attempt)));
    CHECK(has("TORCHELASTIC_RESTART_COUNT=" + std::to_string(attempt)));
    CHECK(has("TORCHELASTIC_MAX_RESTARTS=" + std::to_string(budget)));
    rig.end(1, {-1, SIGKILL});
    rig.end(0, {-1, SIGTERM});
    CHECK(rig.last(1).attempt == attempt);
    CHECK(rig.supervisor->will_restart() == (attempt < budget));
    if (attempt == budget) break;
    const double wait = 1 << attempt;
    rig.time(now + wait - 0.001);
    CHECK_FALSE(rig.supervisor->over());
    rig.time(now += wait);
    CHECK(rig.supervisor->over());
  }
  CHECK(rig.supervisor->over());
  CHECK(rig.last(kNoRank).state == State::kFailed);
  CHECK(rig.last(kNoRank).attempt == budget);
  CHECK(rig.last(kNoRank).text == "rank 1: killed by SIGKILL");
}

TEST_CASE("R5: a stop during the wait ends the run at once") {
  Rig rig(1, 3);
  rig.end(0, {1, 0});
  REQUIRE_FALSE(rig.supervisor->over());
  rig.supervisor->on_stop(messages::kAsker, false);
  CHECK(rig.supervisor->over());
  CHECK_FALSE(rig.supervisor->will_restart());
  CHECK(rig.last(kNoRank).state == State::kStopped);
  CHECK(rig.last(kNoRank).text ==
        "asked by Ringside's window or a command before the next attempt began");
}

TEST_CASE("R5: a stop while a failed attempt is being ended leaves it failed and final") {
  Rig rig(2, 3);
  rig.end(0, {1, 0});
  rig.supervisor->on_stop("SIGINT", false);
  rig.end(1, {-1, SIGTERM});
  CHECK(rig.supervisor->over());
  CHECK_FALSE(rig.supervisor->will_restart());
  CHECK(rig.last(kNoRank).state == State::kFailed);
  CHECK(rig.notices().back().text == "no restart: the run was asked to stop");
}

TEST_CASE("R5: a wrong request is not repeated, whatever the exit codes of the others") {
  Rig rig(2, 3);
  rig.end(1, {2, 0});
  rig.time(0.5);
  rig.end(0, {1, 0});
  CHECK(rig.supervisor->over());
  CHECK_FALSE(rig.supervisor->will_restart());
  CHECK(rig.last(kNoRank).state == State::kFailed);
  CHECK(rig.last(kNoRank).text == "rank 1: exit code 2");
  CHECK(rig.notices().back().code == "no_restart");
}

TEST_CASE("R5: a successful attempt ends the run, whether or not restarts are left") {
  Rig rig(1, 3);
  rig.end(0, {1, 0});
  rig.time(1);
  rig.begin_next();
  rig.end(0, {0, 0});
  CHECK(rig.supervisor->over());
  CHECK_FALSE(rig.supervisor->will_restart());
  CHECK(rig.last(kNoRank).state == State::kFinished);
  CHECK(rig.last(kNoRank).attempt == 1);
}

TEST_CASE("R5: after processes that do not die no new attempt is started") {
  Rig rig(2, 3);
  rig.end(0, {1, 0});
  rig.time(2);
  rig.time(7);
  CHECK(rig.supervisor->over());
  CHECK_FALSE(rig.supervisor->will_restart());
  CHECK(rig.last(kNoRank).state == State::kDidNotDie);
}

TEST_CASE("status is one JSON object with every rank") {
  Rig rig(2);
  rig.end(0, {0, 0});
  const std::string text = rig.supervisor->status_json();
  CHECK(text.find("\"state\":\"starting\"") != std::string::npos);
  CHECK(text.find("\"pid\":101") != std::string::npos);
  CHECK(text.find("\"pid\":null") != std::string::npos);
}
