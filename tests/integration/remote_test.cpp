// Tests `--on ssh://HOST`: the other machine is this one, behind a program that replaces ssh.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

bool says(const std::string& text, const std::string& what) {
  INFO(text);
  return text.find(what) != std::string::npos;
}

std::string id_of(const nlohmann::json& experiment) {
  return experiment.at("runs").back().at("id").get<std::string>();
}

/// Starts a run on the machine that continues until it is stopped.
std::string start_long(const RemoteRig& there) {
  const auto json = there.rig.json_of({"run", there.rig.experiment(2, {"--steps=1000000"}),
                                       "--detach", "--json", "--on", kMachine});
  return id_of(json);
}

}  // namespace

TEST_CASE(
    "a run is launched on another machine from a file here, listed, shown and exported here") {
  RemoteRig there;
  const auto told = there.rig.json_of(
      {"run", there.rig.experiment(2, {"--steps=30"}), "--json", "--on", kMachine});
  const std::string id = id_of(told);
  CHECK(told.at("runs").back().at("state") == "finished");
  CHECK(there.calls().front().ends_with("-p 2222 -l me box -- ringside serve-stdio"));
  const auto listed = there.rig.json_of({"list", "--json", "--on", kMachine});
  CHECK(listed == there.rig.json_of({"list", "--json"}));
  CHECK(there.rig.json_of({"show", "last", "--json", "--on", kMachine}).at("id") == id);
  // Errors of the other machine are shown in its own words, with its exit code.
  const auto none = there.rig.ringside({"show", "nonsense", "--on", kMachine});
  CHECK(none.exit_code == 2);
  CHECK(says(none.errors, "no run in "));

  const std::string here = (there.rig.path() / "here").string();
  const std::string beside = (there.rig.path() / "beside").string();
  const auto copied = there.rig.ringside({"export", "last", "--csv", here, "--on", kMachine});
  INFO(copied.errors);
  REQUIRE(copied.exit_code == 0);
  REQUIRE(there.rig.ringside({"export", "last", "--csv", beside}).exit_code == 0);
  for (const char* file : {"steps.csv", "ranks.csv", "epochs.csv"})
    CHECK(text_of(fs::path(here) / file) == text_of(fs::path(beside) / file));
  CHECK(there.rig.ringside({"export", "last", "--on", kMachine}).exit_code == 2);
  CHECK(there.rig.json_of({"delete", id, "--json", "--on", kMachine}).is_object());
  CHECK_FALSE(fs::exists(there.rig.runs() / id));
}

TEST_CASE("S2: a copy is readable only by the user, has the bytes of the run, and no keys") {
  RemoteRig there;
  const std::string id = start_long(there);
  const auto copy = [&] {
    return there.rig.ringside(
        {"export", id, "--csv", (there.rig.path() / "csv").string(), "--force", "--on", kMachine});
  };
  REQUIRE(copy().exit_code == 0);
  const fs::path here = there.copy_of(id);
  CHECK(text_of(here / "copy_of") == std::string(kMachine) + "\n0\n");
  CHECK(!fs::exists(here / "agent.json"));
  for (const auto& entry : fs::recursive_directory_iterator(there.copies())) {
    struct stat status {};
    REQUIRE(::lstat(entry.path().c_str(), &status) == 0);
    INFO(entry.path());
    CHECK((status.st_mode & 077U) == 0);
  }
  REQUIRE(there.rig.ringside({"stop", id, "--now", "--on", kMachine}).exit_code == 0);
  REQUIRE(copy().exit_code == 0);
  CHECK(text_of(here / "copy_of") == std::string(kMachine) + "\n");
  for (const char* file : {"node_0.log", "spec.toml", "attempt_0/rank_0/stdout"})
    CHECK(text_of(here / file) == text_of(there.rig.runs() / id / file));
}

TEST_CASE("a copy that another program is still making is not exported as if it were complete") {
  RemoteRig there;
  const std::string id = id_of(there.rig.json_of(
      {"run", there.rig.experiment(2, {"--steps=30"}), "--json", "--on", kMachine}));
  const auto exported = [&](const char* name) {
    return there.rig.ringside(
        {"export", id, "--csv", (there.rig.path() / name).string(), "--on", kMachine});
  };
  REQUIRE(exported("first").exit_code == 0);
  const int lock = ::open((there.copies() / (".writer-" + id)).c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  // A window on that machine has copied all of it, so the export succeeds.
  CHECK(exported("beside").exit_code == 0);
  const fs::path log = there.copy_of(id) / "node_0.log";
  fs::resize_file(log, fs::file_size(log) / 2);
  const auto refused = exported("second");
  ::close(lock);
  CHECK(refused.exit_code == 1);
  CHECK(says(refused.errors, "another ringside"));
  CHECK_FALSE(fs::exists(there.rig.path() / "second"));
  CHECK(exported("second").exit_code == 0);
}

TEST_CASE("a copy that was cut off continues where it ended, and no bytes are copied twice") {
  RemoteRig there;
  // The log must be long, and fast ranks would drop records while the agent is kept waiting.
  const std::string id = id_of(there.rig.json_of(
      {"run", there.rig.experiment(2, {"--steps=3000", "--step-ms=1"}), "--json"}));
  const auto whole = fs::file_size(there.rig.runs() / id / "node_0.log");
  const std::string csv = (there.rig.path() / "csv").string();
  there.cut_next_after(static_cast<int>(whole / 2));
  const auto cut = there.rig.ringside({"export", id, "--csv", csv, "--on", kMachine});
  CHECK(cut.exit_code == 1);
  CHECK(says(cut.errors, "lost contact with ssh://me@box:2222"));
  const auto before = fs::file_size(there.copy_of(id) / "node_0.log");
  CHECK(before > 0);
  CHECK(before < whole);
  const auto healed = there.rig.ringside({"export", id, "--csv", csv, "--on", kMachine});
  INFO(healed.errors);
  CHECK(healed.exit_code == 0);
  CHECK(text_of(there.copy_of(id) / "node_0.log") == text_of(there.rig.runs() / id / "node_0.log"));
}

TEST_CASE(
    "tail follows a remote run through a cut: every record once, and the run is not affected") {
  RemoteRig there;
  const std::string id = start_long(there);
  const fs::path out = there.rig.path() / "tailed";
  const pid_t tail = there.rig.start({"tail", id, "--all", "--json", "--on", kMachine}, out);
  REQUIRE(wait_until(20, [&] { return fs::exists(out) && fs::file_size(out) > 10'000; }));
  const std::size_t calls = there.calls().size();
  there.cut();
  REQUIRE(wait_until(20, [&] { return there.calls().size() > calls; }));
  const auto size = fs::file_size(out);
  REQUIRE(wait_until(20, [&] { return fs::file_size(out) > size + 10'000; }));
  const auto stopped = there.rig.ringside({"stop", id, "--on", kMachine});
  INFO(stopped.errors);
  CHECK(stopped.exit_code == 0);
  CHECK(there.rig.wait_exit(tail) == 0);
  CHECK(text_of(out) == there.rig.ringside({"tail", id, "--all", "--json"}).output);
}

TEST_CASE("a command that loses its connection says so, and its run continues") {
  RemoteRig there;
  const pid_t run =
      there.rig.start({"run", there.rig.experiment(2, {"--steps=1000000"}), "--on", kMachine},
                      there.rig.path() / "out");
  REQUIRE(wait_until(20, [&] {
    const auto listed = there.rig.json_of({"list", "--json"});
    return !listed.empty() && listed.front().at("state") == "training";
  }));
  there.cut();
  CHECK(there.rig.wait_exit(run) == 1);
  const auto listed = there.rig.json_of({"list", "--json", "--on", kMachine});
  REQUIRE(listed.size() == 1);
  CHECK(listed.front().at("state") == "training");
  CHECK(there.rig.ringside({"stop", "last", "--now", "--on", kMachine}).exit_code == 0);
}

TEST_CASE("Ctrl-C here stops the remote run with a checkpoint") {
  RemoteRig there;
  const pid_t run = there.rig.start(
      {"run", there.rig.experiment(2, {"--steps=1000000"}), "--json", "--on", kMachine},
      there.rig.path() / "out");
  REQUIRE(wait_until(20, [&] {
    const auto listed = there.rig.json_of({"list", "--json"});
    return !listed.empty() && listed.front().at("state") == "training";
  }));
  ::kill(run, SIGINT);
  CHECK(there.rig.wait_exit(run) == 130);
  CHECK(last_line_json(text_of(there.rig.path() / "out")).at("runs").back().at("state") ==
        "stopped");
}

TEST_CASE(
    "a study is started and continued on another machine, and a stopped run is resumed there") {
  RemoteRig there;
  const auto study = there.rig.json_of({"sweep", there.rig.experiment(2, {"--steps=10"}), "--world",
                                        "1,2", "--repeats", "1", "--json", "--on", kMachine});
  CHECK(study.at("study") == "S-01");
  CHECK(study.at("complete") == true);
  const auto more =
      there.rig.ringside({"sweep", "S-01", "--world", "3", "--json", "--on", kMachine});
  INFO(more.errors);
  REQUIRE(more.exit_code == 0);
  CHECK(last_line_json(more.output).at("settings").size() == 3);
  const std::string id = start_long(there);
  REQUIRE(there.rig.ringside({"stop", id, "--on", kMachine}).exit_code == 0);
  REQUIRE(there.rig.ringside({"resume", id, "--detach", "--on", kMachine}).exit_code == 0);
  const auto shown = [&] { return there.rig.json_of({"show", id, "--json", "--on", kMachine}); };
  CHECK(wait_until(30, [&] { return shown().at("state") == "training"; }));
  CHECK(there.rig.ringside({"stop", id, "--on", kMachine}).exit_code == 0);
  CHECK(shown().at("state") == "stopped");
}

TEST_CASE("attach without a window prints the folder of a copy that follows the run to its end") {
  RemoteRig there;
  const std::string id = start_long(there);
  const fs::path out = there.rig.path() / "out";
  const pid_t attach =
      there.rig.start({"attach", std::string(kMachine) + "/last", "--no-window", "--json"}, out);
  REQUIRE(wait_until(20, [&] { return text_of(out).ends_with("\n"); }));
  const auto told = last_line_json(text_of(out));
  CHECK(told.at("run") == id);
  CHECK(told.at("folder") == there.copy_of(id).string());
  REQUIRE(there.rig.ringside({"stop", id, "--now"}).exit_code == 0);
  CHECK(there.rig.wait_exit(attach) == 0);
  CHECK(text_of(there.copy_of(id) / "node_0.log") == text_of(there.rig.runs() / id / "node_0.log"));
}

TEST_CASE("a copy that follows a run of two nodes is complete when the run has ended") {
  RemoteRig there;
  const bool stopped = GENERATE(true, false);
  const auto json = there.rig.json_of(
      {"run", there.rig.experiment(4, {stopped ? "--steps=1000000" : "--steps=200"}), "--detach",
       "--json", "--set", "devices.nodes=2", "--set", "devices.virtual_nodes=true", "--on",
       kMachine});
  const std::string id = id_of(json);
  const fs::path out = there.rig.path() / "out";
  const pid_t attach =
      there.rig.start({"attach", std::string(kMachine) + "/last", "--no-window", "--json"}, out);
  REQUIRE(wait_until(20, [&] { return text_of(out).ends_with("\n"); }));
  if (stopped) {
    REQUIRE(there.rig.ringside({"stop", id}).exit_code == 0);
  }
  CHECK(there.rig.wait_exit(attach) == 0);
  for (const char* log : {"node_0.log", "node_1.log"})
    CHECK(text_of(there.copy_of(id) / log) == text_of(there.rig.runs() / id / log));
  const auto beside = there.rig.ringside({"tail", id, "--all", "--json"});
  CHECK(there.rig.ringside({"tail", id, "--all", "--json", "--on", kMachine}).output ==
        beside.output);
}

TEST_CASE("another machine reports its use over ssh, and one that fails is named beside this one") {
  RemoteRig there;
  const auto machine_of = [](const nlohmann::json& all, const nlohmann::json& address) {
    for (const auto& one : all)
      if (one.at("machine") == address) return one;
    FAIL("no " << address);
    return nlohmann::json();
  };
  const auto all = there.rig.json_of({"machines", kMachine, "--json"});
  const auto here = machine_of(all, nullptr).at("use");
  const auto box = machine_of(all, kMachine).at("use");
  CHECK(here.at("cores") > 0);
  CHECK(box.at("host") == here.at("host"));
  CHECK(box.at("cores") == here.at("cores"));
  CHECK(box.at("disk_free_bytes") > 0);
  CHECK(there.calls().size() == 1);
  there.ssh_does("echo 'ssh: connect to host box port 2222: Connection refused' >&2; exit 255");
  const auto failed = there.rig.ringside({"machines", kMachine, "--json"});
  CHECK(failed.exit_code == 1);
  const auto told = nlohmann::json::parse(failed.output);
  CHECK(machine_of(told, nullptr).at("problem").is_null());
  CHECK(says(machine_of(told, kMachine).at("problem"), "is its sshd running"));
  CHECK(there.rig.ringside({"machines", "-oProxyCommand=x"}).exit_code == 2);
}

TEST_CASE("each problem with another machine is one sentence and an exit code") {
  RemoteRig there;
  struct Row {
    const char* ssh;
    int code;
    const char* said;
  };
  for (const Row& row :
       {Row{"echo 'me@box: Permission denied (publickey).' >&2; exit 255", 2, "ssh-add"},
        Row{"echo 'Host key verification failed.' >&2; exit 255", 2, "not known here yet"},
        Row{"echo 'ssh: connect to host box port 2222: Connection refused' >&2; exit 255", 1,
            "refused the connection"},
        Row{"echo 'sh: 1: ringside: not found' >&2; exit 127", 2, "has no program ringside"},
        Row{"echo 'not expected: serve-stdio' >&2; exit 2", 2, "has an older ringside"},
        Row{"printf '\\nringside "
            "serve-stdio\\n\\047\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000"
            "\\000{\"protocol\":9,\"version\":\"7\",\"host\":\"b\"}'; exit 0",
            2, "has ringside 7, which is newer"},
        Row{"echo hello; exit 0", 1, "did not answer as ringside does"}}) {
    there.ssh_does(row.ssh);
    for (const char* command : {"list", "tail"}) {
      std::vector<std::string> words{command, "--on", kMachine};
      if (std::string(command) == "tail") words.insert(words.begin() + 1, "last");
      const auto told = there.rig.ringside(words);
      CHECK(told.exit_code == row.code);
      CHECK(says(told.errors, row.said));
      CHECK(std::count(told.errors.begin(), told.errors.end(), '\n') == 1);
      CHECK(told.output.empty());
    }
  }
  // Text that a login prints is ignored.
  there.ssh_does("echo 'Welcome to box'; echo 'motd' >&2");
  CHECK(there.rig.ringside({"list", "--on", kMachine}).exit_code == 0);
  const auto wrong = there.rig.ringside({"list", "--on", "ssh://-oProxyCommand=id"});
  CHECK(wrong.exit_code == 2);
  CHECK(says(wrong.errors, "ssh://[user@]host[:port]"));
  const auto both = there.rig.ringside({"run", "demo", "--export", "x", "--on", kMachine});
  CHECK(both.exit_code == 2);
}
