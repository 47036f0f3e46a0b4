// `--on` with a hostile or broken machine: the person can always cancel, and its output is treated
// as text.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gui/remote/format.h"
#include "gui/remote/frame.h"
#include "protocol/base/clock.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using remote::encode;
using remote::FrameKind;

namespace {

namespace fs = std::filesystem;

/// The beginning of a machine's output; the first command has ticket 1.
std::string greeting() {
  const nlohmann::json hello = {{"protocol", remote::kProtocol}, {"version", "1"}, {"host", "box"}};
  return std::string(remote::kGreeting) + encode(FrameKind::kHello, 0, hello.dump());
}

struct BadMachine : RemoteRig {
  std::string ssh = (rig.path() / "ssh").string();

  /// The bytes of a file as shell text.
  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(rig.path() / name, std::ios::binary) << bytes;
    return "'" + (rig.path() / name).string() + "'";
  }
  /// Makes ssh output these frames, and then read until it is closed.
  void says(const std::string& frames) const {
    ssh_does("cat " + file("frames", greeting() + frames) + "; exec cat >/dev/null");
  }
  /// A command that does not end with its input, nor by a signal that it can ignore.
  std::string deaf() const { return "trap '' HUP INT TERM; exec tail -f " + ssh + " >/dev/null"; }
  bool nothing_is_left() const {
    return wait_until(10, [&] { return processes_with(ssh).empty(); });
  }
};

bool has(const std::string& text, const std::string& part) {
  INFO(text.substr(0, 2000));
  return text.find(part) != std::string::npos;
}

void play(const BadMachine& there, const std::string& trick) {
  const std::string hello = "cat " + there.file("hello", greeting()) + "; ";
  const std::string line = there.file("line", encode(FrameKind::kBytes, 1, "again\n"));
  const std::string other = there.file("other", encode(FrameKind::kBytes, 77, "nobody asked\n"));
  if (trick == "it never greets") there.ssh_does(there.deaf());
  if (trick == "it never answers") there.ssh_does(hello + there.deaf());
  if (trick == "it prints for ever")
    there.ssh_does(hello + "trap '' HUP INT TERM PIPE; while :; do cat " + line + "; done");
  if (trick == "it answers others for ever")
    there.ssh_does(hello + "trap '' HUP INT TERM PIPE; while :; do cat " + other + "; done");
  if (trick == "it leaves a child")
    there.ssh_does("(trap '' HUP INT TERM; exec tail -f " + there.ssh + " >/dev/null) & " + hello +
                   "exec cat >/dev/null");
}

constexpr std::int64_t kSoonNs = 12'000'000'000;
constexpr const char* kTricks[] = {"it never greets", "it never answers", "it prints for ever",
                                   "it answers others for ever", "it leaves a child"};

}  // namespace

TEST_CASE("a command on another machine ends by a signal, whatever that machine does") {
  const std::vector<std::vector<std::string>> commands{
      {"list"}, {"show", "last"}, {"stop", "last"}};
  std::size_t next = 0;
  for (const char* trick : kTricks) {
    struct Case {
      int signal;
      pid_t pid = 0;
      std::unique_ptr<BadMachine> there = std::make_unique<BadMachine>();
    };
    std::vector<Case> cases;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      Case& one = cases.emplace_back(Case{signal});
      play(*one.there, trick);
      auto words = commands[next++ % commands.size()];
      words.insert(words.end(), {"--on", kMachine});
      const fs::path out = one.there->rig.path() / "out";
      one.pid = one.there->rig.start(words, out, one.there->rig.path() / "errors");
      REQUIRE(wait_until(20, [&] { return one.there->calls().size() == 1; }));
      if (std::string(trick) == "it prints for ever")
        REQUIRE(wait_until(20, [&] { return fs::file_size(out) > 100; }));
    }
    ++next;  // the next command is tested with the same signal
    const std::int64_t begun_ns = mono_now_ns();
    for (const Case& one : cases) ::kill(one.pid, one.signal);
    for (Case& one : cases) {
      INFO(trick << ", signal " << one.signal);
      CHECK(one.there->rig.wait_exit(one.pid) == 128 + one.signal);
      CHECK(mono_now_ns() - begun_ns < kSoonNs);
      CHECK(one.there->nothing_is_left());
    }
  }
}

TEST_CASE("a copy that is followed can be ended by a signal, whatever its machine does") {
  for (const char* trick : {"it never greets", "it answers others for ever"}) {
    INFO(trick);
    BadMachine there;
    play(there, trick);
    const pid_t pid = there.rig.start({"tail", "last", "--on", kMachine}, there.rig.path() / "out",
                                      there.rig.path() / "errors");
    REQUIRE(wait_until(20, [&] { return there.calls().size() == 1; }));
    ::kill(pid, SIGTERM);
    CHECK(there.rig.wait_exit(pid) == 128 + SIGTERM);
    CHECK(there.nothing_is_left());
  }
}

TEST_CASE("a command that follows a remote run is ended here by the second signal") {
  BadMachine there;
  play(there, "it prints for ever");
  const pid_t pid = there.rig.start({"resume", "last", "--on", kMachine}, there.rig.path() / "out",
                                    there.rig.path() / "errors");
  REQUIRE(wait_until(20, [&] {
    return fs::exists(there.rig.path() / "out") && fs::file_size(there.rig.path() / "out") > 100;
  }));
  ::kill(pid, SIGINT);
  // The first signal was passed on, and output of the command still arrives.
  const auto size = fs::file_size(there.rig.path() / "out");
  REQUIRE(wait_until(20, [&] { return fs::file_size(there.rig.path() / "out") > size + 10'000; }));
  ::kill(pid, SIGINT);
  CHECK(there.rig.wait_exit(pid) == 128 + SIGINT);
  CHECK(has(text_of(there.rig.path() / "errors"), "was left without its answer; runs there go on"));
  CHECK(there.nothing_is_left());
}

TEST_CASE("a command on another machine ends with its terminal, and with its reader") {
  BadMachine there;
  play(there, "it prints for ever");
  const std::string ringside = (bin_dir() / "ringside").string();
  SECTION("the terminal closes") {
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    REQUIRE(pid >= 0);
    if (pid == 0) {
      ::execl(ringside.c_str(), "ringside", "list", "--on", kMachine, nullptr);
      ::_exit(127);
    }
    char byte = 0;
    REQUIRE(::read(terminal, &byte, 1) == 1);
    ::close(terminal);
    int status = 0;
    CHECK(holds_within(12, [&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
    CHECK(WIFEXITED(status));
  }
  SECTION("the reader exits") {
    const auto piped = launch::capture(
        {"/bin/sh", "-c",
         "{ '" + ringside + "' list --on " + kMachine + "; echo code $? >&2; } | head -n 1"},
        12'000'000'000);
    REQUIRE(piped);
    CHECK(piped->output == "again\n");
    CHECK(piped->errors == "code 141\n");
  }
  CHECK(there.nothing_is_left());
}

TEST_CASE("S6: any output of another machine is treated as text") {
  const BadMachine there;
  const std::string evil =
      "\x1b[2Jgone\x1b]0;title\a\rcarriage \xe2\x80\xaeright \xc2\x9b"
      "31m \xff\tend\n";
  there.says(encode(FrameKind::kBytes, 1, evil.substr(0, 33)) +
             encode(FrameKind::kBytes, 1, evil.substr(33)) + encode(FrameKind::kErrors, 1, evil) +
             encode(FrameKind::kDone, 1, R"({"exit": 7})"));
  const auto listed = there.rig.ringside({"list", "--on", kMachine});
  CHECK(listed.exit_code == 7);
  const std::string told =
      "\\x1b[2Jgone\\x1b]0;title\\x07\\x0dcarriage \\u202eright \\u009b31m \\xff\tend\n";
  CHECK(listed.output == told);
  CHECK(listed.errors == told);
}

TEST_CASE("S6: a refusal of another machine is one short line of text") {
  const BadMachine there;
  const nlohmann::json refused = {{"message", "\x1b[31mno\n" + std::string(1'000'000, 'x')},
                                  {"request", true}};
  there.says(encode(FrameKind::kRefused, 1, refused.dump()));
  const auto listed = there.rig.ringside({"list", "--on", kMachine});
  CHECK(listed.exit_code == 2);
  CHECK(has(listed.errors, "\\x1b[31mno\\nxxx"));
  CHECK(listed.errors.size() < 10'000);
  CHECK(listed.errors.find('\x1b') == std::string::npos);
}

TEST_CASE("output of another machine is limited, and repeated errors are counted") {
  BadMachine there;
  SECTION("it prints without end") {
    const std::string block =
        there.file("block", encode(FrameKind::kBytes, 1, std::string(1'000'000, '\n')));
    there.ssh_does("cat " + there.file("hello", greeting()) + "; trap '' PIPE; while cat " + block +
                   " 2>/dev/null; do :; done");
    const auto listed = there.rig.ringside({"list", "--on", kMachine});
    CHECK(listed.exit_code == 1);
    CHECK(has(listed.errors, std::string(kMachine) + " was left without its answer: it prints"));
  }
  SECTION("the same error a thousand times") {
    std::string frames;
    for (int i = 0; i < 1000; ++i) frames += encode(FrameKind::kErrors, 1, "trouble\n");
    there.says(frames + encode(FrameKind::kErrors, 1, "other\n") +
               encode(FrameKind::kDone, 1, R"({"exit": 0})"));
    const auto listed = there.rig.ringside({"list", "--on", kMachine});
    CHECK(listed.exit_code == 0);
    CHECK(listed.errors == "trouble\ntrouble\ntrouble\n(the same line 997 times more)\nother\n");
  }
  CHECK(there.nothing_is_left());
}

TEST_CASE("an invalid exit code is a failure, and is not truncated") {
  for (const char* code : {"256", "-1", "1e3", "18446744073709551616", "\"0\"", "null", "[0]"}) {
    INFO(code);
    const BadMachine there;
    there.says(encode(FrameKind::kDone, 1, std::string(R"({"exit": )") + code + "}"));
    const auto listed = there.rig.ringside({"list", "--on", kMachine});
    CHECK(listed.exit_code == 1);
    CHECK(has(listed.errors, "answers in a form that is not known here"));
  }
}

TEST_CASE("a copy that another machine sends without end, or again and again, is given up") {
  const BadMachine there;
  const std::string id = "20261121T100000Z-aaaaaa";
  const nlohmann::json found = {{"id", id}, {"number", 1}};
  const nlohmann::json files = {
      {"live", false},
      {"files", {{{"path", "node_0.log"}, {"size", 1'000'000'000}, {"changed_ns", 1}}}}};
  const std::string known =
      encode(FrameKind::kDone, 1, found.dump()) + encode(FrameKind::kDone, 2, files.dump());
  std::string why = "it sends more than it was asked for";
  SECTION("without end") {
    const std::string block =
        there.file("block", encode(FrameKind::kBytes, 3, std::string(1'000'000, 'x')));
    there.ssh_does("cat " + there.file("frames", greeting() + known) +
                   "; trap '' PIPE; while cat " + block + " 2>/dev/null; do :; done");
  }
  SECTION("from the beginning each time") {
    std::string frames = known;
    for (std::uint32_t ticket = 3; ticket < 100; ++ticket) {
      const bool same = ticket % 2 == 1;
      if (same) frames += encode(FrameKind::kBytes, ticket, "x");
      frames += encode(FrameKind::kDone, ticket, same ? R"({"same": true})" : R"({"same": false})");
    }
    there.says(frames);
    why = "cannot copy node_0.log";
  }
  SECTION("with a path that leads out of the folder") {
    const nlohmann::json elsewhere = {{"id", "../../\x1b[2J"}, {"number", 1}};
    there.says(encode(FrameKind::kDone, 1, elsewhere.dump()));
    why = "names the run in a form that is not known here";
  }
  const auto copied = there.rig.ringside(
      {"export", "last", "--csv", (there.rig.path() / "csv").string(), "--on", kMachine});
  CHECK(copied.exit_code == 1);
  CHECK(has(copied.errors, why));
  CHECK(copied.errors.find('\x1b') == std::string::npos);
}

TEST_CASE("a command that follows a run reports within seconds that its folder was deleted") {
  RemoteRig there;
  const auto begun = there.rig.json_of(
      {"run", there.rig.experiment(2, {"--steps=1000000"}), "--detach", "--json"});
  const fs::path folder = begun.at("runs").at(0).at("folder").get<std::string>();
  std::vector<std::string> words{"tail", "last"};
  bool in_parts = false;
  SECTION("on this machine") {}
  SECTION("on this machine, with the agent's own file deleted long before the rest") {
    in_parts = true;
  }
  SECTION("on another machine") { words.insert(words.end(), {"--on", kMachine}); }
  const fs::path out = there.rig.path() / "out";
  const pid_t tail = there.rig.start(words, out, there.rig.path() / "errors");
  REQUIRE(wait_until(20, [&] { return fs::exists(out) && fs::file_size(out) > 100; }));
  std::string why = " was deleted: its folder ";
  if (in_parts) {
    fs::remove(folder / "agent.json");
    fs::remove(folder / "lock");
    why = " was interrupted: its log ends while the run was training";
  } else {
    REQUIRE(remove_folder(folder));
  }
  const std::int64_t gone_ns = mono_now_ns();
  CHECK(there.rig.wait_exit(tail) == 1);
  CHECK(mono_now_ns() - gone_ns < kSoonNs);
  CHECK(has(text_of(there.rig.path() / "errors"), why));
  REQUIRE(remove_folder(folder));
  CHECK(wait_until(20, [&] { return processes_with(folder.string()).empty(); }));
}
