// R2: a viewer that loses its agent and comes back sees every record once.
#include "gui/runs/log_source.h"

#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/control_server.h"
#include "protocol/wire/poller.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using support::RecordList;

namespace {

constexpr std::int64_t kTimeoutNs = testing::kPatienceNs;
constexpr std::int64_t kWaitNs = 20'000'000;
constexpr std::uint64_t kBudget = 1U << 20;

// A process that only stays alive, to serve as the agent of an endpoint.
class Bystander {
 public:
  Bystander() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
  }
  ~Bystander() { end(); }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  std::int32_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// Answers questions about one run from a thread of its own, as an agent would.
class Server {
 public:
  Server(const runlog::RunFolder& folder, std::int32_t pid) : file_(folder.agent_path()) {
    authenticator_ = std::move(*wire::Authenticator::open());
    server_ = std::move(*wire::ControlServer::open(*authenticator_));
    auto endpoint =
        *authenticator_->authorize(folder.id(), "tcp://127.0.0.1:9", server_->endpoint());
    endpoint.agent_pid = pid;
    endpoint.agent_start_ticks = wire::process_start_ticks(pid);
    (void)wire::write_agent_endpoint(file_, endpoint);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() { leave(); }
  /// Ends the run by removing agent.json.
  void finish() { std::filesystem::remove(file_); }
  void fill_disk(bool full) { disk_full_ = full; }
  /// Makes the agent alive but silent.
  void stop(bool stopped) {
    stopped_ = stopped;
    stopped_.notify_all();
  }
  void leave() {
    stop(false);
    leaving_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
    authenticator_.reset();
  }

 private:
  void serve() {
    wire::Poller poller;
    poller.add(authenticator_->poll_handle(), 0);
    poller.add(server_->poll_handle(), 1);
    while (!leaving_) {
      if (stopped_) {
        stopped_.wait(true);
        continue;
      }
      while (const auto request = server_->serve()) {
        server_->reply(
            *request, true,
            disk_full_ ? R"({"log_problem":"No space left on device"})" : R"({"log_problem":""})");
      }
      (void)poller.wait(2'000'000);
    }
  }

  std::unique_ptr<wire::Authenticator> authenticator_;
  std::unique_ptr<wire::ControlServer> server_;
  std::filesystem::path file_;
  std::atomic<bool> disk_full_{false};
  std::atomic<bool> leaving_{false};
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

void write_steps(support::LogSink& sink, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seq = first; seq < first + count; ++seq) {
    messages::StepReport step;
    step.step = static_cast<Step>(seq);
    sink.accept({0, 0, seq, 0}, step);
  }
  sink.flush();
}

template <class Done>
runs::SourceProgress poll_until(runs::LogSource& source, RecordList& list, Done done) {
  const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
  runs::SourceProgress progress;
  while (mono_now_ns() < deadline_ns) {
    progress = source.poll(list, kBudget, kWaitNs).value();
    if (done(progress)) return progress;
  }
  FAIL("not within the deadline; " << list.entries.size() << " records");
  return progress;
}

void require_all_once(const RecordList& list, std::uint64_t count) {
  REQUIRE(list.entries.size() == count);
  for (std::uint64_t i = 0; i < count; ++i) REQUIRE(list.entries[i].stamp.seq == i);
}

struct OneRun {
  TempFolder folder;
  runlog::RunFolder run = support::make_folder(folder.path(), "20261121T134005Z-000001", {});
  support::LogSink sink{run};
};

}  // namespace

TEST_CASE("a finished run is read from its file, and reading ends with it") {
  OneRun one;
  write_steps(one.sink, 0, 1000);
  runs::LogSource source(one.run);
  RecordList list;
  const auto progress = poll_until(source, list, [](const auto& p) { return p.ended; });
  require_all_once(list, 1000);
  CHECK(!progress.connected);
  CHECK_FALSE(progress.on_socket);
  CHECK(source.identity().run_id == one.run.id());
}

TEST_CASE("contact is lost sooner over a socket than where a file may be shown late") {
  runs::SourceProgress progress;
  for (const bool on_socket : {true, false}) {
    progress.on_socket = on_socket;
    progress.silent_ns = 5'000'000'000;
    CHECK_FALSE(runs::is_unheard(progress));
    progress.silent_ns = 8'000'000'000;
    CHECK(runs::is_unheard(progress) == on_socket);
    progress.silent_ns = 91'000'000'000;
    CHECK(runs::is_unheard(progress));
  }
}

TEST_CASE("the agent of another machine is not asked, and its file is read") {
  OneRun one;
  write_steps(one.sink, 0, 100);
  REQUIRE(support::put_elsewhere(one.run));
  runs::LogSource source(one.run);
  RecordList list;
  const auto progress =
      poll_until(source, list, [&](const auto&) { return list.entries.size() == 100; });
  CHECK_FALSE(progress.ended);
  CHECK_FALSE(progress.on_socket);
  CHECK_FALSE(progress.own_clock);
}

TEST_CASE("a log whose head names no boot has times of its own clock, whoever writes it") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-000001", {});
  support::LogSink sink(run, 1'795'271'067'000'000'000, 1'000'000'000'000, "");
  const Bystander agent;
  write_steps(sink, 0, 10);
  Server server(run, agent.pid());
  runs::LogSource source(run);
  RecordList list;
  const auto progress =
      poll_until(source, list, [&](const auto&) { return list.entries.size() == 10; });
  CHECK(progress.on_socket);
  CHECK_FALSE(progress.own_clock);
}

TEST_CASE("a run without a log has no records and has ended") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-000001", {});
  runs::LogSource source(run);
  RecordList list;
  CHECK(source.poll(list, kBudget, 0)->ended);
  CHECK(list.entries.empty());
}

TEST_CASE("a torn tail ends the reading and is reported, and the rest is read once it is written") {
  OneRun one;
  write_steps(one.sink, 0, 200);
  const auto whole = std::filesystem::file_size(one.run.log_path(0));
  const auto text = read_text(one.run.log_path(0)).value();
  std::filesystem::resize_file(one.run.log_path(0), whole - 10);
  runs::LogSource source(one.run);
  RecordList list;
  const auto torn = poll_until(source, list, [](const auto& p) { return p.ended; });
  CHECK(torn.log.tail_bytes > 0);
  CHECK(list.entries.size() == 180);
  REQUIRE(write_text_atomically(one.run.log_path(0).string() + "2", text));
  auto file = open_file(one.run.log_path(0), OpenMode::kAppend);
  REQUIRE((*file)->append(std::as_bytes(std::span(text).last(10))));
  poll_until(source, list, [&](const auto&) { return list.entries.size() == 200; });
  require_all_once(list, 200);
}

TEST_CASE("R2: live records come from the file while the agent answers, and the end is reported") {
  OneRun one;
  const Bystander agent;
  write_steps(one.sink, 0, 300);
  Server server(one.run, agent.pid());
  runs::LogSource source(one.run);
  RecordList list;
  const auto caught_up =
      poll_until(source, list, [&](const auto&) { return list.entries.size() == 300; });
  CHECK(caught_up.connected);
  CHECK(!caught_up.ended);
  write_steps(one.sink, 300, 500);
  server.finish();
  poll_until(source, list, [](const auto& p) { return p.ended; });
  require_all_once(list, 800);
}

TEST_CASE("R2: after an agent is killed the rest is read from the file without a gap") {
  OneRun one;
  Bystander agent;
  write_steps(one.sink, 0, 300);
  Server server(one.run, agent.pid());
  runs::LogSource source(one.run);
  RecordList list;
  poll_until(source, list, [&](const auto&) { return list.entries.size() == 300; });
  write_steps(one.sink, 300, 250);
  server.leave();
  agent.end();
  const auto progress = poll_until(source, list, [](const auto& p) { return p.ended; });
  CHECK(!progress.connected);
  require_all_once(list, 550);
}

TEST_CASE("R2: a viewer that comes back, and one whose agent is replaced, see every record once") {
  OneRun one;
  Bystander first;
  write_steps(one.sink, 0, 100);
  auto server = std::make_unique<Server>(one.run, first.pid());
  runs::LogSource stays(one.run);
  RecordList seen_by_stays;
  {
    runs::LogSource leaves(one.run);
    RecordList list;
    poll_until(leaves, list, [&](const auto&) { return list.entries.size() == 100; });
  }
  poll_until(stays, seen_by_stays,
             [&](const auto&) { return seen_by_stays.entries.size() == 100; });
  server.reset();
  first.end();
  write_steps(one.sink, 100, 100);
  const Bystander second;
  server = std::make_unique<Server>(one.run, second.pid());
  poll_until(stays, seen_by_stays,
             [&](const auto& p) { return p.connected && seen_by_stays.entries.size() == 200; });
  write_steps(one.sink, 200, 100);
  server->finish();
  runs::LogSource comes_back(one.run);
  RecordList seen_later;
  poll_until(comes_back, seen_later, [](const auto& p) { return p.ended; });
  poll_until(stays, seen_by_stays, [](const auto& p) { return p.ended; });
  require_all_once(seen_later, 300);
  require_all_once(seen_by_stays, 300);
}

TEST_CASE(
    "an agent that does not answer is reported while its records still arrive, until it answers "
    "again") {
  OneRun one;
  const Bystander agent;
  write_steps(one.sink, 0, 300);
  Server server(one.run, agent.pid());
  server.stop(true);
  runs::LogSource source(one.run);
  RecordList list;
  const auto silent = poll_until(source, list, [](const auto& p) { return !p.connected; });
  CHECK(list.entries.size() == 300);
  CHECK(silent.on_socket);
  CHECK(silent.own_clock);
  CHECK(!silent.ended);
  write_steps(one.sink, 300, 100);
  poll_until(source, list, [&](const auto&) { return list.entries.size() == 400; });
  server.stop(false);
  poll_until(source, list, [](const auto& p) { return p.connected; });
  write_steps(one.sink, 400, 100);
  server.finish();
  poll_until(source, list, [](const auto& p) { return p.ended; });
  require_all_once(list, 500);
}

TEST_CASE("waiting for records of a live run ends with the first record, and with the run's end") {
  OneRun one;
  const Bystander agent;
  write_steps(one.sink, 0, 10);
  Server server(one.run, agent.pid());
  runs::LogSource source(one.run);
  RecordList list;
  poll_until(source, list, [&](const auto&) { return list.entries.size() == 10; });
  const std::int64_t begun_ns = mono_now_ns();
  for (std::uint64_t i = 10; i < 30; ++i) {
    std::thread later([&] { write_steps(one.sink, i, 1); });
    REQUIRE(source.poll(list, kBudget, kTimeoutNs));
    later.join();
    REQUIRE(list.entries.size() == i + 1);
    REQUIRE(mono_now_ns() - begun_ns < kTimeoutNs);
  }
  std::thread later([&] { server.finish(); });
  while (!source.poll(list, kBudget, kTimeoutNs)->ended) {
  }
  later.join();
  REQUIRE(mono_now_ns() - begun_ns < kTimeoutNs);
}

TEST_CASE("R9: a log that cannot be written is reported as long as that lasts") {
  OneRun one;
  const Bystander agent;
  write_steps(one.sink, 0, 10);
  Server server(one.run, agent.pid());
  runs::LogSource source(one.run);
  RecordList list;
  CHECK(poll_until(source, list, [&](const auto&) {
          return list.entries.size() == 10;
        }).log_problem.empty());
  server.fill_disk(true);
  CHECK(poll_until(source, list, [](const auto& p) {
          return !p.log_problem.empty();
        }).log_problem == "No space left on device");
  server.fill_disk(false);
  poll_until(source, list, [](const auto& p) { return p.log_problem.empty(); });
}
