// The helper of the remote machine, tested through a pair of sockets.
#include "gui/remote/serve.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <thread>

#include "gui/remote/format.h"
#include "gui/remote/frame.h"
#include "gui/slurm/queue_file.h"
#include "protocol/base/clock.h"
#include "protocol/runlog/crc32c.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::remote;
using Json = nlohmann::json;

namespace {

constexpr const char* kRun = "20261121T134005Z-7f3a1c";

bool until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + testing::kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A runs folder with one run, and the helper for it on a thread.
class Helper {
 public:
  explicit Helper(const std::string& program = "/bin/sh") {
    std::array<int, 2> both{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) == 0);
    here_ = both[0];
    thread_ = std::thread([this, there = both[1], program] {
      code_ = serve(there, there, program);
      ::close(there);
    });
    run_file("spec.toml", "name = \"x\"\n");
    run_file("node_0.log", "0123456789");
    run_file("agent.json", "secret");
    std::string greeting;
    while (greeting.size() < kGreeting.size()) greeting += read_some(1);
    CHECK(greeting == kGreeting);
    const Frame hello = next();
    CHECK(hello.kind == FrameKind::kHello);
    CHECK(Json::parse(hello.payload)["protocol"] == kProtocol);
  }
  ~Helper() {
    ::close(here_);
    if (thread_.joinable()) thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void run_file(const std::string& name, const std::string& text) {
    folder_.write(std::filesystem::path(kRun) / name, text);
  }
  void folder_file(const std::string& name, const std::string& text) { folder_.write(name, text); }
  std::filesystem::path run() const { return folder_.path() / kRun; }

  void put(const std::string& text) {
    REQUIRE(::send(here_, text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  void ask(Json question, std::uint32_t ticket = 1) {
    question["runs_dir"] = folder_.path().string();
    put(encode(FrameKind::kAsk, ticket, question.dump()));
  }
  Frame next() {
    for (;;) {
      auto frame = reader_.next();
      REQUIRE(frame);
      if (*frame) return std::move(**frame);
      const std::string more = read_some(4096);
      REQUIRE(!more.empty());
      reader_.push(more);
    }
  }
  /// The answer; bytes that came before it are stored in `bytes`.
  Frame answer() {
    bytes.clear();
    for (;;) {
      Frame frame = next();
      if (frame.kind == FrameKind::kDone || frame.kind == FrameKind::kRefused) return frame;
      (frame.kind == FrameKind::kErrors ? errors : bytes) += frame.payload;
    }
  }
  Json done() {
    const Frame frame = answer();
    INFO(frame.payload);
    REQUIRE(frame.kind == FrameKind::kDone);
    return Json::parse(frame.payload);
  }
  /// Closes its input, and waits for it to end.
  int end() {
    ::shutdown(here_, SHUT_WR);
    while (!read_some(4096).empty()) {
    }
    thread_.join();
    return code_;
  }

  std::string bytes;
  std::string errors;

 private:
  std::string read_some(std::size_t most) {
    std::string block(most, '\0');
    const ssize_t got = ::read(here_, block.data(), block.size());
    block.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return block;
  }

  TempFolder folder_;
  FrameReader reader_;
  int here_ = -1;
  int code_ = -1;
  std::thread thread_;
};

Json read_of(const char* path, std::uint64_t offset = 0, std::uint64_t most = 100) {
  return {{"do", "read"}, {"run", kRun}, {"path", path}, {"offset", offset}, {"most", most}};
}

}  // namespace

TEST_CASE("the helper lists runs and files, and finds a run by what people call it") {
  Helper helper;
  helper.ask({{"do", "alive"}});
  CHECK(helper.done() == Json::object());
  helper.ask({{"do", "runs"}});
  CHECK(helper.done()["runs"] ==
        Json::parse(R"([{"id":"20261121T134005Z-7f3a1c","number":1,"live":false}])"));
  helper.ask({{"do", "find"}, {"run", "last"}});
  CHECK(helper.done()["id"] == kRun);
  helper.run_file("attempt_0/rank_0/stdout", "hello");
  helper.run_file("checkpoints/epoch_1.pt", "large");
  helper.ask({{"do", "files"}, {"run", kRun}});
  const Json files = helper.done();
  std::set<std::string> names;
  for (const Json& file : files["files"]) names.insert(file["path"].get<std::string>());
  CHECK(names == std::set<std::string>{"spec.toml", "node_0.log", "attempt_0/rank_0/stdout"});
  CHECK(helper.end() == 0);
}

TEST_CASE("the helper sends the files of studies, and says which were deleted") {
  Helper helper;
  helper.folder_file("studies/S-07.toml", "study = \"S-07\"\n");
  helper.folder_file("studies/.deleted/S-03.toml", "study = \"S-03\"\n");
  helper.folder_file("studies/notes.toml", "secret");
  helper.folder_file("studies/S-08.toml", "\xff\xfe");
  helper.ask({{"do", "studies"}});
  const Json told = helper.done();
  CHECK(told["studies"] == Json::parse(R"([{"study":"S-07","text":"study = \"S-07\"\n"}])"));
  CHECK(told["deleted"] == Json::parse(R"([{"study":"S-03","text":"study = \"S-03\"\n"}])"));
}

TEST_CASE("a file is read from an offset if the bytes before it are the same") {
  Helper helper;
  helper.ask(read_of("node_0.log", 4, 3));
  CHECK(helper.done() == Json{{"same", true}, {"bytes", 3}});
  CHECK(helper.bytes == "456");
  const std::string before = "0123";
  auto asked = read_of("node_0.log", 4);
  asked["check_bytes"] = 4;
  asked["check"] = runlog::crc32c(std::as_bytes(std::span(before)));
  helper.ask(asked);
  CHECK(helper.done()["same"] == true);
  CHECK(helper.bytes == "456789");
  asked["check"] = 1;
  helper.ask(asked);
  CHECK(helper.done()["same"] == false);
  CHECK(helper.bytes.empty());
  helper.ask(read_of("node_0.log", 11));
  CHECK(helper.done()["same"] == false);
}

TEST_CASE("S2: the helper reads only those files of a run that are copied") {
  Helper helper;
  std::filesystem::create_symlink("/etc/passwd", helper.run() / "link");
  std::filesystem::create_directory_symlink("/etc", helper.run() / "etc");
  for (const char* path : {"agent.json", "lock", "../x", "/etc/passwd", "link", "etc/passwd", "",
                           "checkpoints/epoch_1.pt"}) {
    INFO(path);
    helper.ask(read_of(path));
    CHECK(helper.answer().kind == FrameKind::kRefused);
    CHECK(helper.bytes.empty());
  }
  for (const char* run : {"..", "", "/etc", "20261121T134005Z-7f3a1d"}) {
    helper.ask({{"do", "files"}, {"run", run}});
    CHECK(helper.answer().kind == FrameKind::kRefused);
  }
}

TEST_CASE("the last state of Slurm's jobs is sent, and updated for the next answer") {
  slurm::Rig slurm;
  slurm.program("squeue", "12|PENDING||Resources\n13|RUNNING|n1|None");
  Helper helper;
  helper.run_file("slurm.json", R"({"version": 1, "job": "12", "submitted_wall_ns": 1})");
  const auto told = [&] {
    helper.ask({{"do", "queue"}});
    const auto file = slurm::parse_queue_file(helper.done()["text"].get<std::string>());
    CHECK_FALSE(file.queue.contains("13"));  // a job of the same user, but of no run in this folder
    return file.queue.contains("12");
  };
  CHECK(until(told));
  CHECK(told());
  const std::string calls = slurm.called("squeue");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 1);
}

TEST_CASE("while squeue hangs the helper answers, and it exits at once") {
  slurm::Rig slurm;
  slurm.temp.write("bin/squeue", "#!/bin/sh\necho >\"$0.began\"\nexec sleep 1000\n");
  std::filesystem::permissions(slurm.temp.path() / "bin/squeue", std::filesystem::perms::owner_all);
  Helper helper;
  helper.run_file("slurm.json", R"({"version": 1, "job": "12", "submitted_wall_ns": 1})");
  helper.ask({{"do", "queue"}});
  helper.done();
  REQUIRE(until([&] { return std::filesystem::exists(slurm.temp.path() / "bin/squeue.began"); }));
  helper.ask({{"do", "alive"}});
  CHECK(helper.done().empty());
  const std::int64_t before_ns = mono_now_ns();
  CHECK(helper.end() == 0);
  CHECK(mono_now_ns() - before_ns < 5'000'000'000);  // squeue is given ten seconds
}

TEST_CASE("a command gets its arguments, input file and signals, and its exit code is returned") {
  Helper helper;
  helper.ask({{"do", "command"},
              {"words", {"-c", "cat; echo \"$1\" >&2; test -f /dev/stdin; exit 5", "x", "a  b'c"}},
              {"input", "text"}},
             9);
  const Json done = helper.done();
  CHECK(done["exit"] == 5);
  CHECK(helper.bytes == "text");
  CHECK(helper.errors == "a  b'c\n");
  helper.ask({{"do", "command"}, {"words", {"-c", "echo up; exec sleep 1000"}}}, 10);
  CHECK(helper.next().payload == "up\n");
  helper.put(encode(FrameKind::kSignal, 10, R"({"signal": 15})"));
  CHECK(helper.done()["exit"] == 143);
}

TEST_CASE("when the connection ends, a command gets SIGHUP") {
  Helper helper;
  helper.ask({{"do", "command"}, {"words", {"-c", "echo $$; exec sleep 1000"}}});
  const pid_t pid = std::stoi(helper.next().payload);
  CHECK(helper.end() == 0);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGHUP);
}

TEST_CASE("S4: input that does not follow FORMAT.md ends the helper or is refused") {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), encode(FrameKind::kAsk, 1, "[]"),
        encode(FrameKind::kAsk, 1, "{"), encode(FrameKind::kDone, 1, "{}"),
        encode(FrameKind::kAsk, 1, R"({"do":"command","words":"rm"})")}) {
    Helper helper;
    helper.put(bytes);
    CHECK(helper.end() == 1);
  }
  Helper helper;
  for (const Json& asked :
       {Json{{"do", "fly"}}, Json{{"do", 5}}, Json{{"x", 1}},
        Json{{"do", "read"}, {"run", kRun}, {"path", 5}}, Json{{"do", "stop"}, {"name", 5}},
        Json{{"do", "start"}, {"queue", "all"}}}) {
    helper.ask(asked);
    CHECK(helper.answer().kind == FrameKind::kRefused);
  }
  CHECK(helper.end() == 0);
}
