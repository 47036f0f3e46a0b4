// Goal 2: the cost for the agent of 1,024 ranks that report ten times a second, against bare ZeroMQ
// with the same messages. The ranks are sockets in eight separate processes, so that only the
// receiving side is measured; the agent's messages are encrypted and logged, the bare ones are not.
// Usage: ranks_bench [RANKS] [SECONDS]. Prints one line of JSON.
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>

#include "protocol/host/files.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/event_records.h"
#include "protocol/runlog/log_writer.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"
#include "protocol/wire/telemetry_sender.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr int kProcesses = 8;
constexpr int kRounds = 3;
constexpr std::int64_t kPeriodNs = 100'000'000;
constexpr std::uint32_t kRecordsPerStep = 4;  // of 64 bytes
constexpr std::size_t kStepBytes = 64 * kRecordsPerStep;

struct Load {
  int ranks = 1024;
  int ticks = 50;
  int per_process() const { return ranks / kProcesses; }
  std::uint64_t messages() const {
    return static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ticks);
  }
};

std::vector<std::byte> step_of(Rank rank, std::uint64_t tick) {
  std::vector<std::byte> payload;
  for (std::uint32_t i = 0; i < kRecordsPerStep; ++i) {
    messages::append_record(payload, {0, rank, tick * kRecordsPerStep + i, mono_now_ns()},
                            messages::Scalar{"twelve chars", static_cast<Step>(tick), 0.5});
  }
  return payload;
}

void sleep_until(std::int64_t mono_ns) {
  const timespec at{mono_ns / 1'000'000'000, mono_ns % 1'000'000'000};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

// Sends for one process: each of its ranks once per period, evenly spaced.
void keep_pace(const Load& load, const std::function<void(int, std::uint64_t)>& send) {
  const std::int64_t start_ns = mono_now_ns();
  for (int tick = 0; tick < load.ticks; ++tick) {
    for (int i = 0; i < load.per_process(); ++i) {
      sleep_until(start_ns + tick * kPeriodNs + i * kPeriodNs / load.per_process());
      send(i, static_cast<std::uint64_t>(tick));
    }
  }
}

// The sending processes: each reports when it is connected, starts on a signal, and exits by
// itself.
class Senders {
 public:
  template <class Child>
  explicit Senders(Child child) {
    for (int at = 0; at < kProcesses; ++at) {
      int go[2];
      int ready[2];
      if (::pipe(go) != 0 || ::pipe(ready) != 0) std::exit(1);
      const pid_t pid = ::fork();
      if (pid == 0) {
        const auto begin = [&] {
          char byte = 'r';
          if (::write(ready[1], &byte, 1) != 1 || ::read(go[0], &byte, 1) != 1) ::_exit(1);
        };
        child(at, begin);
        ::_exit(0);
      }
      ::close(go[0]);
      ::close(ready[1]);
      pids_.push_back(pid);
      go_.push_back(go[1]);
      ready_.push_back(ready[0]);
    }
  }
  /// Calls `meanwhile` until every process is connected, then starts them.
  template <class Work>
  void begin(Work meanwhile) {
    for (const int fd : ready_) {
      pollfd item{fd, POLLIN, 0};
      while (::poll(&item, 1, 1) == 0) meanwhile();
    }
    for (const int fd : go_) {
      if (::write(fd, "g", 1) != 1) std::exit(1);
    }
  }
  ~Senders() {
    for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
    for (const int fd : go_) ::close(fd);
    for (const int fd : ready_) ::close(fd);
  }
  Senders(const Senders&) = delete;
  Senders& operator=(const Senders&) = delete;

 private:
  std::vector<pid_t> pids_;
  std::vector<int> go_;
  std::vector<int> ready_;
};

struct Figures {
  double core_pct = 0;  // CPU use of the receiving process
  double late_p99_ms = 0;
  std::uint64_t lost = 0;
};

double p99_ms(std::vector<std::int64_t>& late_ns) {
  if (late_ns.empty()) return 0;
  std::sort(late_ns.begin(), late_ns.end());
  return static_cast<double>(late_ns[late_ns.size() * 99 / 100]) * 1e-6;
}

Figures figures(const Load& load, double cpu_s, double wall_s, std::vector<std::int64_t>& late_ns,
                std::uint64_t received) {
  return {100 * cpu_s / wall_s, p99_ms(late_ns), load.messages() - received};
}

void send_bare(const Load& load, const char* endpoint, const std::function<void()>& begin) {
  void* context = zmq_ctx_new();
  std::vector<void*> sockets;
  for (int i = 0; i < load.per_process(); ++i) {
    sockets.push_back(zmq_socket(context, ZMQ_PUSH));
    zmq_connect(sockets.back(), endpoint);
  }
  begin();
  std::array<std::byte, kStepBytes> bytes{};
  keep_pace(load, [&](int i, std::uint64_t) {
    const std::int64_t now_ns = mono_now_ns();
    std::memcpy(bytes.data(), &now_ns, sizeof now_ns);
    zmq_send(sockets[static_cast<std::size_t>(i)], bytes.data(), bytes.size(), 0);
  });
  for (void* socket : sockets) zmq_close(socket);
  zmq_ctx_term(context);
}

// The processes are forked before this one has a thread, and get the address through a pipe.
Figures bare(const Load& load) {
  int port_pipe[2];
  if (::pipe(port_pipe) != 0) std::exit(1);
  Senders senders([&](int, const auto& begin) {
    std::array<char, 64> text{};
    // Every process reads one line of equal length.
    if (::read(port_pipe[0], text.data(), 32) != 32) ::_exit(1);
    send_bare(load, text.data(), begin);
  });
  void* context = zmq_ctx_new();
  void* pull = zmq_socket(context, ZMQ_PULL);
  zmq_bind(pull, "tcp://127.0.0.1:*");
  std::array<char, 64> text{};
  std::size_t size = text.size();
  zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, text.data(), &size);
  for (int i = 0; i < kProcesses; ++i) {
    if (::write(port_pipe[1], text.data(), 32) != 32) std::exit(1);
  }
  senders.begin([] {});
  std::vector<std::int64_t> late_ns;
  const double cpu_before = cpu_seconds();
  const std::int64_t start_ns = mono_now_ns();
  zmq_msg_t message;
  zmq_msg_init(&message);
  const int timeout_ms = 5000;
  zmq_setsockopt(pull, ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms);
  std::uint64_t received = 0;
  while (received < load.messages() && zmq_msg_recv(&message, pull, 0) >= 0) {
    std::int64_t sent_ns = 0;
    std::memcpy(&sent_ns, zmq_msg_data(&message), sizeof sent_ns);
    late_ns.push_back(mono_now_ns() - sent_ns);
    ++received;
  }
  const double cpu_s = cpu_seconds() - cpu_before;
  const double wall_s = seconds_since(start_ns);
  zmq_msg_close(&message);
  zmq_close(pull);
  zmq_ctx_term(context);
  ::close(port_pipe[0]);
  ::close(port_pipe[1]);
  return figures(load, cpu_s, wall_s, late_ns, received);
}

void send_ours(const Load& load, int process, const std::filesystem::path& endpoint_path,
               const std::function<void()>& begin) {
  auto endpoint = wire::read_agent_endpoint(endpoint_path);
  if (!endpoint) ::_exit(1);
  std::vector<wire::TelemetrySender> senders;
  const Rank first = process * load.per_process();
  for (int i = 0; i < load.per_process(); ++i) {
    auto sender = wire::TelemetrySender::connect(*endpoint, 0, first + i, 0);
    if (!sender) ::_exit(1);
    senders.push_back(std::move(*sender));
  }
  begin();
  keep_pace(load, [&](int i, std::uint64_t tick) {
    senders[static_cast<std::size_t>(i)].send(step_of(first + i, tick), kRecordsPerStep);
  });
  for (auto& sender : senders) sender.goodbye({}, 0, mono_now_ns() + 5'000'000'000);
}

// Handles a batch as the agent's loop does: checks it, appends it to the log, and syncs to disk
// once a second.
class OurSide {
 public:
  OurSide(const Load& load, const std::filesystem::path& folder) {
    receiver_->expect({endpoint_.run_token, 0, 0, load.ranks, 0});
    std::filesystem::remove(folder / "log");
    auto writer = runlog::LogWriter::open(
        std::move(*open_file(folder / "log", OpenMode::kCreateNew)), {"bench", 0, 0, 0, ""});
    if (!writer) std::exit(1);
    writer_.emplace(std::move(*writer));
    poller_.add(authenticator_->poll_handle(), 0);
    poller_.add(receiver_->poll_handle(), 1);
  }
  const wire::AgentEndpoint& endpoint() const { return endpoint_; }

  void drain() {
    while (const auto batch = receiver_->receive()) {
      hellos += batch->kind == wire::Batch::Kind::kHello ? 1 : 0;
      gone += batch->kind == wire::Batch::Kind::kGoodbye ? 1 : 0;
      messages::RecordHead head{};
      if (!messages::peek_record(batch->payload, head)) continue;
      late_ns.push_back(mono_now_ns() - head.stamp.mono_ns);
      (void)writer_->append(batch->payload, batch->record_count);
    }
    if (mono_now_ns() - synced_ns_ < 1'000'000'000) return;
    (void)writer_->sync();
    synced_ns_ = mono_now_ns();
  }
  template <class Wanted>
  void until(Wanted wanted) {
    while (!wanted()) {
      drain();
      if (!wanted()) (void)poller_.wait(100'000'000);
    }
  }

  int hellos = 0;
  int gone = 0;
  std::vector<std::int64_t> late_ns;

 private:
  std::unique_ptr<wire::Authenticator> authenticator_ = std::move(*wire::Authenticator::open());
  std::unique_ptr<wire::TelemetryReceiver> receiver_ =
      std::move(*wire::TelemetryReceiver::open(*authenticator_));
  wire::AgentEndpoint endpoint_ =
      *authenticator_->authorize("bench", receiver_->endpoint(), receiver_->endpoint());
  std::optional<runlog::LogWriter> writer_;
  wire::Poller poller_;
  std::int64_t synced_ns_ = 0;
};

Figures ours(const Load& load, const std::filesystem::path& folder) {
  const auto endpoint_path = folder / "agent.json";
  int card_pipe[2];
  if (::pipe(card_pipe) != 0) std::exit(1);
  Senders senders([&](int at, const auto& begin) {
    char byte = 0;
    if (::read(card_pipe[0], &byte, 1) != 1) ::_exit(1);
    send_ours(load, at, endpoint_path, begin);
  });
  OurSide side(load, folder);
  if (!wire::write_agent_endpoint(endpoint_path, side.endpoint())) std::exit(1);
  for (int i = 0; i < kProcesses; ++i) {
    if (::write(card_pipe[1], "c", 1) != 1) std::exit(1);
  }
  senders.begin([&] { side.drain(); });
  side.until([&] { return side.hellos >= load.ranks; });
  const double cpu_before = cpu_seconds();
  const std::int64_t start_ns = mono_now_ns();
  side.until([&] { return side.late_ns.size() >= load.messages() || side.gone >= load.ranks; });
  const double cpu_s = cpu_seconds() - cpu_before;
  const double wall_s = seconds_since(start_ns);
  side.until([&] { return side.gone >= load.ranks; });
  ::close(card_pipe[0]);
  ::close(card_pipe[1]);
  return figures(load, cpu_s, wall_s, side.late_ns, side.late_ns.size());
}

std::string column(const char* name, const std::vector<double>& values) {
  return "," + field(name, median(values));
}

int measure(const Load& load) {
  std::string pattern = (std::filesystem::temp_directory_path() / "ringside-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  std::vector<double> cpu_bare;
  std::vector<double> cpu_ours;
  std::vector<double> late_bare;
  std::vector<double> late_ours;
  std::uint64_t lost = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Figures plain = bare(load);
    const Figures full = ours(load, pattern);
    cpu_bare.push_back(plain.core_pct);
    cpu_ours.push_back(full.core_pct);
    late_bare.push_back(plain.late_p99_ms);
    late_ours.push_back(full.late_p99_ms);
    lost += full.lost;
  }
  std::filesystem::remove_all(pattern);
  const std::string text = column("bare_core_pct", cpu_bare) + column("ours_core_pct", cpu_ours) +
                           column("ours_to_bare_cpu", ratios(cpu_ours, cpu_bare)) +
                           column("bare_p99_ms", late_bare) + column("ours_p99_ms", late_ours);
  std::printf(
      "{\"bench\":\"ranks\",\"ranks\":%d,\"hz\":10,\"step_bytes\":%zu,\"rounds\":%d%s,"
      "\"lost\":%llu}\n",
      load.ranks, kStepBytes, kRounds, text.c_str(), static_cast<unsigned long long>(lost));
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  // A rank's socket takes about ten file descriptors in its process, and one in the receiver.
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  ringside::bench::Load load;
  if (argc > 1) load.ranks = std::atoi(argv[1]);
  if (argc > 2) load.ticks = 10 * std::atoi(argv[2]);
  return ringside::bench::measure(load);
}
