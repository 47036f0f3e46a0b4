// Folders of a study, and programs that outlive the process that started them.
#include "gui/launch/start/start.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "gui/launch/child.h"
#include "gui/launch/detached.h"
#include "protocol/host/files.h"
#include "protocol/runlog/whole_argv.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

constexpr std::int64_t kTimeoutNs = testing::kPatienceNs;

// Waits for the event itself, with a deadline.
template <class Done>
bool until(Done done) {
  const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
  while (mono_now_ns() < deadline_ns) {
    if (done()) return true;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace

TEST_CASE("ids of one study ascend although they are of one second, and specs are resolved") {
  const TempFolder folder;
  launch::Plan plan;
  plan.runs.resize(2);
  plan.runs[0].is_baseline = true;
  plan.runs[1].spec.baseline.mode = "run";
  for (int i = 0; i < 20; ++i) {
    const auto folders = launch::make_folders(plan, folder.path() / "runs", SystemClock()).value();
    REQUIRE(folders.size() == 2);
    const runlog::RunFolder& baseline = folders[0].folder;
    const runlog::RunFolder& asked = folders[1].folder;
    REQUIRE(baseline.id() < asked.id());
    const auto spec =
        messages::parse_run_spec(read_text(asked.spec_path()).value(), "spec").value();
    REQUIRE(spec.baseline.run == baseline.id());
  }
}

TEST_CASE("S10: no secret of a program is in the run folder, and the agent gets all of it") {
  const TempFolder folder;
  ::setenv("XDG_STATE_HOME", (folder.path() / "state").c_str(), 1);
  launch::Plan plan;
  plan.preset_name = "mine";
  plan.preset_text =
      "[program]\nargv = [\"train\", \"--api-key=hunter-22\", \"--lr=1\"]\n"
      "environment = [\"HF_TOKEN=hunter-23\"]\n";
  plan.runs.resize(1);
  plan.runs[0].spec.program.argv = {"train", "--api-key=hunter-22", "--lr=1"};
  plan.runs[0].spec.program.environment = {"HF_TOKEN=hunter-23"};
  const auto made = launch::make_folders(plan, folder.path() / "runs", SystemClock()).value();
  const runlog::RunFolder& run = made[0].folder;
  const auto text = read_text(run.spec_path()).value();
  for (const auto& entry : std::filesystem::directory_iterator(run.path())) {
    INFO(entry.path());
    CHECK(read_text(entry.path()).value().find("hunter-2") == std::string::npos);
  }
  const auto stored = messages::parse_run_spec(text, "spec").value().program;
  CHECK(stored.argv == std::vector<std::string>{"train", "--api-key=[redacted]", "--lr=1"});
  CHECK(stored.environment == std::vector<std::string>{"HF_TOKEN=[redacted]"});
  const auto whole = runlog::with_secrets(run, stored).value();
  CHECK(whole.argv == plan.runs[0].spec.program.argv);
  CHECK(whole.environment == plan.runs[0].spec.program.environment);
  // The next launch finds the run deleted and other runs beside it.
  std::filesystem::create_directory(folder.path() / "runs" / "another");
  std::filesystem::remove_all(run.path());
  REQUIRE(launch::make_folders({}, folder.path() / "runs", SystemClock()));
  CHECK(std::filesystem::is_empty(folder.path() / "state" / "ringside" / "arguments"));
  ::unsetenv("XDG_STATE_HOME");
}

TEST_CASE("R11: a folder is locked from the moment at which it is a run until no process has it") {
  const TempFolder folder;
  launch::Plan plan;
  plan.runs.resize(2);
  auto made = launch::make_folders(plan, folder.path() / "runs", SystemClock()).value();
  const std::vector<runlog::RunFolder> runs{made[0].folder, made[1].folder};
  for (const auto& run : runs) CHECK(runlog::FolderLock::is_held(run));
  // A process with the first run's descriptor, like its agent, keeps the lock until it ends.
  const auto go = folder.path() / "go";
  REQUIRE(::mkfifo(go.c_str(), 0600) == 0);
  const auto pid = launch::start_detached({"/bin/sh", "-c", "read line < \"$0\"", go.string()},
                                          folder.path() / "log", {made[0].lock.descriptor()});
  REQUIRE(pid);
  made.clear();
  CHECK(runlog::FolderLock::is_held(runs[0]));
  CHECK_FALSE(runlog::FolderLock::is_held(runs[1]));
  std::ofstream(go) << "\n";
  CHECK(until([&] { return !runlog::FolderLock::is_held(runs[0]); }));
}

TEST_CASE("an unwritable runs folder is a clear error and leaves nothing") {
  const TempFolder folder;
  folder.write("file", "x");
  launch::Plan plan;
  plan.runs.resize(1);
  const auto made = launch::make_folders(plan, folder.path() / "file" / "runs", SystemClock());
  REQUIRE(!made);
  CHECK(made.error().message.find("--runs-dir") != std::string::npos);
}

TEST_CASE("S6: a detached program gets its arguments unchanged and its output in the log") {
  const TempFolder folder;
  const auto log = folder.path() / "agent.log";
  const std::string odd = "a \"b\" $(touch " + (folder.path() / "side").string() + "); '\n`x`";
  const auto pid = launch::start_detached({"/bin/sh", "-c", "printf '%s' \"$1\"", "sh", odd}, log);
  REQUIRE(pid);
  CHECK(*pid > 0);
  CHECK(until([&] { return read_text(log).value().find(odd) != std::string::npos; }));
  CHECK(!std::filesystem::exists(folder.path() / "side"));
}

TEST_CASE("a detached program has its own session and is not our child") {
  const TempFolder folder;
  const auto log = folder.path() / "log";
  const auto pid = launch::start_detached({"/bin/sh", "-c", "cat /proc/$$/stat"}, log);
  REQUIRE(pid);
  std::string text;
  REQUIRE(until([&] {
    text = read_text(log).value();
    return text.find('\n') != std::string::npos;
  }));
  // The fields are: pid (comm) state ppid pgrp session.
  int parent = 0;
  int group = 0;
  int session = 0;
  char state = ' ';
  REQUIRE(std::sscanf(text.c_str() + text.rfind(')') + 2, "%c %d %d %d", &state, &parent, &group,
                      &session) == 4);
  CHECK(session != ::getsid(0));
  CHECK(parent != ::getpid());
}

TEST_CASE("a missing program is an error that names it") {
  const TempFolder folder;
  const auto pid = launch::start_detached({"/nowhere/agent"}, folder.path() / "log");
  REQUIRE(!pid);
  CHECK(pid.error().message.find("/nowhere/agent") != std::string::npos);
}

TEST_CASE("capture returns both streams and the exit code, and kills a program that does not end") {
  const auto both =
      launch::capture({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, kTimeoutNs).value();
  CHECK(both.output == "out\n");
  CHECK(both.errors == "err\n");
  CHECK(both.exit_code == 3);
  CHECK(launch::capture({"/bin/sh", "-c", "kill -9 $$"}, kTimeoutNs)->exit_code == 137);
  const std::int64_t began = mono_now_ns();
  CHECK(!launch::capture({"/bin/sleep", "1000"}, 50'000'000));
  CHECK(mono_now_ns() - began < kTimeoutNs);
  CHECK(!launch::capture({"/nowhere/program"}, kTimeoutNs));
}

TEST_CASE("capture returns when the program ends, whatever keeps its output open") {
  const auto said = [](const char* shell) {
    return launch::capture({"/bin/sh", "-c", shell}, 3'000'000'000).value().output;
  };
  CHECK(said("sleep 100 & echo out") == "out\n");
  CHECK(said("yes >&2 & echo out") == "out\n");
  const auto cut = launch::capture_so_far({"/bin/sh", "-c", "echo out; sleep 100"}, 200'000'000);
  REQUIRE(cut);
  CHECK(cut->output == "out\n");
  CHECK(cut->cut.ends_with("did not respond in time and was terminated"));
}

TEST_CASE("the inventory is read from the agent's JSON, including unknown numbers") {
  const auto machine =
      launch::parse_machine(R"({"devices": [{"index": 1, "uuid": "GPU-1", "name": "A100",
    "memory_total_bytes": 80, "memory_used_bytes": null, "processes": [{"pid": 7, "used_bytes": null}]}],
    "links": [], "cpu_slots": 6, "cpu": {"name": "EPYC"}, "host": {"name": "h"}, "driver": {"version": null, "problem": "none here"}})");
  REQUIRE(machine);
  CHECK(machine->cores == 6);
  CHECK(machine->gpus.at(0).uuid == "GPU-1");
  CHECK(machine->gpus[0].memory_used_bytes == -1);
  CHECK(machine->gpus[0].pids == std::vector<std::int64_t>{7});
  CHECK(machine->driver_problem == "none here");
  CHECK(!launch::parse_machine("nonsense"));
  CHECK(!launch::parse_machine(R"({"cpu_slots": "many"})"));
}
