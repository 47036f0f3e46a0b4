// Adverse conditions: no home, no working folder, no room for output, signals at any moment. There
// must be one clear error, the right exit code, and nothing started or written elsewhere.
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fstream>

#include "gui/runs/find_run.h"
#include "gui/runs/studies/study.h"
#include "gui/runs/studies/study_lock.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/run_spec.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::int64_t kTimeoutNs = 3 * kPatienceNs;

// Runs `script` in a shell, with $R the program and $D a folder of the test.
launch::Captured shell(const CliRig& rig, const std::string& script) {
  const std::string setup = "R='" + (bin_dir() / "ringside").string() + "'; D='" +
                            rig.path().string() + "'; unset RINGSIDE_RUNS_DIR; ";
  auto captured = launch::capture({"/bin/sh", "-c", setup + script}, kTimeoutNs);
  REQUIRE(captured);
  return std::move(*captured);
}

int lines_of(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Starts `ringside ARGUMENTS` as a shell starts a job on a terminal: in a process group of its own.
pid_t start_group(const CliRig& rig, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), (bin_dir() / "ringside").string());
  arguments.insert(arguments.end(), {"--runs-dir", rig.runs().string()});
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const std::string errors = (rig.path() / "errors").string();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  REQUIRE(::posix_spawn(&pid, pointers[0], &actions, &attributes, pointers.data(), environ) == 0);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

int wait_exit(pid_t pid) {
  int status = 0;
  REQUIRE(wait_until(50, [&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE(
    "Ctrl-C reaches the whole process group of a terminal: exit code 130 at any moment, no other "
    "error") {
  CliRig rig;
  const auto experiment = rig.experiment(1, {"--steps=100000"});
  for (long delay_us = 0; delay_us < 30'000; delay_us += 1'500) {
    const pid_t pid = start_group(rig, {"run", experiment});
    const timespec moment{0, delay_us * 1000};
    ::nanosleep(&moment, nullptr);
    ::kill(-pid, SIGINT);
    INFO(delay_us);
    REQUIRE(wait_exit(pid) == 130);
    const std::string errors = text_of(rig.path() / "errors");
    INFO(errors);
    CHECK_FALSE(says(errors, "--inventory"));
  }
  CHECK(wait_until(5, [&] { return processes_with(rig.runs().string()).empty(); }));
}

TEST_CASE(
    "R2: a closed terminal and Ctrl-backslash end the command, the run continues in the "
    "background") {
  for (const int signal : {SIGHUP, SIGQUIT}) {
    CliRig rig;
    const pid_t pid = start_group(rig, {"run", rig.experiment(1, {"--steps=100000"})});
    REQUIRE(wait_until(50, [&] {
      const auto found = runs::find_run(rig.runs(), "last");
      return found && wait_for_steps(found->folder, 0, 5, 0);
    }));
    ::kill(-pid, signal);
    CHECK(wait_exit(pid) == 128 + signal);
    CHECK(says(text_of(rig.path() / "errors"), "continues in the background"));
    CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "training");
    CHECK(rig.ringside({"stop", "last"}).exit_code == 0);
  }
}

TEST_CASE("settings with which no rank could start are refused before anything starts") {
  CliRig rig;
  for (const char* setting : {"batch.size=1", "data.name=shapes", "model.init_from=/no/such/file",
                              "train.precision=tf32"}) {
    const auto refused = rig.ringside({"run", "demo", "--set", setting});
    INFO(setting << ": " << refused.errors);
    CHECK(refused.exit_code == 2);
    CHECK(lines_of(refused.errors) == 1);
    CHECK_FALSE(std::filesystem::exists(rig.runs()));
  }
}

TEST_CASE(
    "in a deleted working folder absolute paths work, and relative ones are one clear error") {
  CliRig rig;
  REQUIRE(rig.ringside({"run", rig.experiment(1, {"--steps=3"})}).exit_code == 0);
  const std::string gone = "mkdir $D/gone && cd $D/gone && rmdir $D/gone; ";
  for (const char* command : {"$R export last --runs-dir $D/runs --csv x", "$R list --runs-dir rel",
                              "RINGSIDE_RUNS_DIR=rel $R list"}) {
    const auto refused = shell(rig, gone + command);
    INFO(command << ": " << refused.errors);
    CHECK(refused.exit_code == 2);
    CHECK(says(refused.errors, "working folder is gone"));
  }
  CHECK(shell(rig, gone + "$R list --runs-dir $D/runs").exit_code == 0);
  const auto empty = shell(rig, "$R export last --runs-dir $D/runs --csv ''");
  CHECK(empty.exit_code == 2);
  CHECK(says(empty.errors, "--csv is empty"));
}

TEST_CASE("without HOME the password database is used, and doctor names the folders in use") {
  if (::getpwuid(::getuid()) == nullptr) {
    WARN("SKIPPED: this user is not in the password database");
    return;
  }
  CliRig rig;
  const std::string bare = "cd $D; env -u XDG_DATA_HOME -u XDG_CACHE_HOME ";
  const auto expected = nlohmann::json::parse(
      shell(rig,
            "env -u XDG_DATA_HOME -u XDG_CACHE_HOME HOME=$(getent passwd $(id -u) | cut -d: "
            "-f6) $R doctor --json")
          .output);
  for (const char* home : {"-u HOME ", "HOME= ", "HOME=here "}) {
    const auto doctor = nlohmann::json::parse(shell(rig, bare + home + "$R doctor --json").output);
    INFO(home);
    CHECK(doctor.at("places").at("runs") == expected.at("places").at("runs"));
    CHECK(doctor.at("places").at("data") == expected.at("places").at("data"));
  }
  CHECK_FALSE(std::filesystem::exists(rig.path() / ".local"));
}

TEST_CASE("output that cannot be written is an error, but a reader that has exited is not") {
  CliRig rig;
  const auto experiment = rig.experiment(1, {"--steps=3"});
  for (const std::string& command :
       {"run '" + experiment + "' --json", std::string("list --json"), std::string("show last"),
        std::string("tail last"), std::string("presets")}) {
    const std::string place = command == "presets" ? "" : " --runs-dir $D/runs";
    const auto full = shell(rig, "$R " + command + place + " >/dev/full");
    INFO(command << ": " << full.errors);
    CHECK(full.exit_code == 1);
    CHECK(says(full.errors, "cannot write to standard output"));
  }
  const auto closed = shell(rig, "$R list --runs-dir $D/runs >&-");
  CHECK(closed.exit_code == 1);
  // The shell reports 128 + SIGPIPE for the program, as for other tools.
  const auto pipe = shell(rig, "{ $R tail last --all --runs-dir $D/runs; echo $? >$D/code; } | :");
  CHECK(pipe.errors.empty());
  const std::string code = text_of(rig.path() / "code");
  CHECK((code == "141\n" || code == "0\n"));
}

TEST_CASE("R9: a limit on the size of files is one clear error, and leaves nothing behind") {
  CliRig rig;
  const auto experiment = rig.experiment(1, {"--steps=300", "--step-ms=1"});
  const auto none = shell(rig, "ulimit -f 0; $R run '" + experiment + "' --runs-dir $D/runs");
  CHECK(none.exit_code == 1);
  CHECK(says(none.errors, "File too large"));
  CHECK(std::filesystem::is_empty(rig.runs()));
  REQUIRE(rig.ringside({"run", experiment}).exit_code == 0);
  for (const char* kind :
       {"export last --csv", "export last --tensorboard", "report last --html"}) {
    const auto cut = shell(rig, "ulimit -f 4; mkdir $D/out; $R " + std::string(kind) + " $D/out" +
                                    (kind[0] == 'r' ? "/r.html" : "") + " --runs-dir $D/runs");
    INFO(kind << ": " << cut.errors);
    CHECK(cut.exit_code == 1);
    CHECK(says(cut.errors, "File too large"));
    CHECK(lines_of(cut.errors) == 1);
    CHECK(std::filesystem::is_empty(rig.path() / "out"));
    std::filesystem::remove_all(rig.path() / "out");
  }
}

TEST_CASE("R9: while the log cannot be written the terminal says so, and training continues") {
  CliRig rig;
  const auto experiment = rig.experiment(1, {"--steps=6000", "--step-ms=1"});
  const auto ran =
      shell(rig, "ulimit -f 64; $R run '" + experiment + "' --json --runs-dir $D/runs");
  INFO(ran.errors);
  CHECK(says(ran.errors, "records are being lost, training continues"));
  CHECK(says(ran.errors, "File too large"));
}

TEST_CASE("R12: show quotes the last output of a failed rank, and the result names it too") {
  CliRig rig;
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 1;
  spec.program.argv = {"/bin/sh", "-c", "echo first >&2; echo 'no such digit' >&2; exit 3"};
  std::ofstream(rig.path() / "broken.toml") << messages::to_toml(spec);
  const auto ran = rig.ringside({"run", (rig.path() / "broken.toml").string()});
  CHECK(ran.exit_code == 1);
  CHECK(says(ran.output, "rank 0: exit code 3: \"no such digit\""));
  const auto shown = rig.ringside({"show", "last"}).output;
  CHECK(says(shown, "rank_0/stderr:\n  first\n  no such digit\n"));
  CHECK(says(shown, "program"));
  CHECK_FALSE(says(shown, "convnet"));
  CHECK_FALSE(says(shown, "global batch"));
}

TEST_CASE("S6: names are escaped where they are shown, and refused if they are invalid text") {
  CliRig rig;
  const auto experiment = rig.experiment(1, {"--steps=3"});
  const auto refused = rig.ringside({"run", experiment, "--name", "bad \xff name"});
  CHECK(refused.exit_code == 2);
  CHECK(says(refused.errors, "not valid UTF-8"));
  REQUIRE(rig.ringside({"run", experiment, "--name", "two\nlines \u202Eesrever"}).exit_code == 0);
  const auto listed = rig.ringside({"list"}).output;
  CHECK(says(listed, "two\\nlines \\u202eesrever"));
}

TEST_CASE(
    "a stop that waits while a study is being started can be ended by a signal, and says so") {
  const CliRig rig;
  runs::Study study;
  study.head = {"S-01", "demo", "demo", 1, 1};
  study.settings = {{"baseline-1", {""}, {}, {}}};
  REQUIRE(runs::write_study(rig.runs(), study));
  const auto starts = runs::StudyLock::take(rig.runs(), "S-01");
  REQUIRE(starts);
  // SIGTERM is bit 14 of the process's caught signals.
  const auto stopped = shell(rig,
                             "$R stop S-01 --runs-dir $D/runs & p=$!\n"
                             "until [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$p/status) "
                             "& 0x4000)) -ne 0 ]; do :; done\n"
                             "kill -TERM $p; wait $p");
  INFO(stopped.errors);
  CHECK(stopped.exit_code == 143);
  CHECK(stopped.errors == "Interrupted: the study was not stopped.\n");
}

TEST_CASE("an invalid runs folder is refused, and a run elsewhere is named by its id") {
  CliRig rig;
  const auto file = shell(rig, "echo x >$D/file; $R list --runs-dir $D/file");
  CHECK(file.exit_code == 2);
  CHECK(says(file.errors, "cannot read the runs folder"));
  REQUIRE(rig.ringside({"run", rig.experiment(1, {"--steps=3"})}).exit_code == 0);
  const auto id = rig.json_of({"list", "--json"}).at(0).at("id").get<std::string>();
  const auto shown = shell(rig, "$R show $D/runs/" + id + " --runs-dir $D/other").output;
  CHECK_FALSE(says(shown, "#0"));
  CHECK(says(shown, id));
  for (const char* wrong : {"list -n 0", "tail last -n -3"}) {
    const auto range = shell(rig, std::string("$R ") + wrong);
    CHECK(range.exit_code == 2);
    CHECK(range.errors.size() < 200);
  }
}

TEST_CASE(
    "a program runs in the folder in which its run was started, wherever it is resumed from") {
  const CliRig rig;
  for (const char* folder : {"a", "b"}) std::filesystem::create_directories(rig.path() / folder);
  std::ofstream(rig.path() / "a" / "prog.sh") << "pwd; exit 1\n";
  const std::string runs = " --runs-dir '" + rig.runs().string() + "'";
  const std::string experiment = "'" + rig.experiment(1, {}) + "'";
  const std::string program = R"( --set 'program.argv=["/bin/sh", "prog.sh"]')";
  const auto first = shell(rig, "cd \"$D/a\"; \"$R\" run " + experiment + program + runs);
  INFO(first.errors);
  CHECK(first.exit_code == 1);
  CHECK(shell(rig, "cd \"$D/b\"; \"$R\" resume last" + runs).exit_code == 1);
  const auto run = runs::find_run(rig.runs(), "last").value().folder;
  const std::string there = std::filesystem::canonical(rig.path() / "a").string() + "\n";
  for (const std::int32_t attempt : {0, 1})
    CHECK(read_text(run.rank_dir(attempt, 0) / "stdout").value_or("") == there);
  // A folder that was removed or never existed is one error, and nothing is started.
  std::filesystem::rename(rig.path() / "a", rig.path() / "c");
  const auto resumed = shell(rig, "cd \"$D/b\"; \"$R\" resume last" + runs);
  CHECK(resumed.exit_code == 2);
  CHECK(says(resumed.errors, "program.cwd"));
  CHECK(lines_of(resumed.errors) == 1);
  CHECK(run.attempts() == 2);
  const auto refused =
      shell(rig, "\"$R\" run " + experiment + program + " --set program.cwd=/nowhere" + runs);
  CHECK(refused.exit_code == 2);
  CHECK(says(refused.errors, "/nowhere"));
  const auto set = shell(
      rig, "cd \"$D/b\"; \"$R\" run " + experiment + program + " --set program.cwd=../c" + runs);
  CHECK(set.exit_code == 1);
  const auto other = runs::find_run(rig.runs(), "last").value().folder;
  CHECK(read_text(other.rank_dir(0, 0) / "stdout").value_or("") ==
        std::filesystem::canonical(rig.path() / "c").string() + "\n");
}
