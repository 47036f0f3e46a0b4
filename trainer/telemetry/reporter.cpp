#include "trainer/telemetry/reporter.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/base/host.h"
#include "protocol/messages/event_records.h"
#include "protocol/messages/rank_records.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/runlog/unsent_log.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_sender.h"

namespace ringside::telemetry {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{60} << 10;
constexpr std::int32_t kControlTag = 1;
constexpr std::int32_t kWakeTag = 2;

}  // namespace

// Empties the ring into batches, sends them, and receives stop requests.
struct Reporter::SenderThread {
  struct Unsent {
    std::filesystem::path path;
    RunId run_id;
  };

  SenderThread(wire::TelemetrySender to, ByteRing& from, std::atomic<int>& stop_request,
               Unsent unsent_to)
      : sender(std::move(to)),
        ring(from),
        stop(stop_request),
        unsent(std::move(unsent_to)),
        wake_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    batch.reserve(kBatchBytes * 2);
    poller.add(sender.poll_handle(), kControlTag);
    poller.add_fd(wake_fd, kWakeTag);
    thread = std::thread([this] { run(); });
  }

  ~SenderThread() {
    end(mono_now_ns());
    ::close(wake_fd);
  }

  void run() {
    while (!ending.load(std::memory_order_acquire)) {
      deliver();
      if (const auto request = sender.poll_control()) {
        const auto asked =
            request->mode == wire::StopMode::kNow ? StopRequest::kNow : StopRequest::kGraceful;
        stop.store(std::max(stop.load(), static_cast<int>(asked)));
      }
      // Nothing wakes this thread for a post, since waking costs the training thread a system call.
      if (!poller.wait(kMaxLate_ns)) return;
    }
    flush_and_close();
  }

  // Sends until the ring is empty; false when the socket takes no more.
  bool deliver() {
    while (true) {
      fill_batch();
      if (batch_records == 0) return true;
      if (!sender.send(batch, batch_records)) return false;
      clear_batch();
    }
  }

  void fill_batch() {
    while (batch.size() < kBatchBytes) {
      const auto entry = ring.front();
      if (entry.empty()) return;
      // A record larger than a batch travels alone.
      if (!batch.empty() && batch.size() + entry.size() > kBatchBytes) return;
      batch.insert(batch.end(), entry.begin(), entry.end());
      ++batch_records;
      ring.pop();
    }
  }

  void clear_batch() {
    batch.clear();
    batch_records = 0;
  }

  void flush_and_close() {
    for (fill_batch(); batch_records > 0; fill_batch()) {
      if (!sender.send_rest(batch, batch_records)) counts.dropped += batch_records;
      clear_batch();
    }
    ++counts.produced;
    messages::RankGoodbye goodbye;
    goodbye.produced = counts.produced;
    goodbye.dropped = counts.dropped;
    goodbye.post_max_ns = counts.post_max_ns;
    goodbye.post_total_ns = counts.post_total_ns;
    const messages::Stamp last{stamp.node, stamp.rank,
                               static_cast<std::uint64_t>(counts.produced - 1), mono_now_ns()};
    messages::append_record(batch, last, goodbye);
    if (!sender.goodbye(batch, 1, deadline_ns)) leave_unsent();
    clear_batch();
  }

  // Without a folder or space for it, the missing goodbye tells the agent that records are lost.
  void leave_unsent() {
    const runlog::LogIdentity identity{unsent.run_id, stamp.node, SystemClock{}.wall_ns(),
                                       mono_now_ns(), current_boot_id()};
    [[maybe_unused]] const auto written =
        runlog::write_unsent(unsent.path, identity, batch, sender.unacknowledged());
  }

  void end(std::int64_t deadline) {
    if (!thread.joinable()) return;
    deadline_ns = deadline;
    ending.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_fd, &one, sizeof one);
    thread.join();
  }

  wire::TelemetrySender sender;
  wire::Poller poller;
  ByteRing& ring;
  std::atomic<int>& stop;
  Unsent unsent;
  int wake_fd;
  std::vector<std::byte> batch;
  std::uint32_t batch_records = 0;
  // Handed over by `ending`: written before it, read by the thread after it, and again after the
  // join.
  Sender stamp;
  ReporterCounts counts;
  std::int64_t deadline_ns = 0;
  std::atomic<bool> ending{false};
  std::thread thread;
};

Reporter::Reporter() = default;

Reporter::Reporter(const std::filesystem::path& endpoint_file, const Sender& sender,
                   std::size_t ring_bytes)
    : sender_(sender) {
  const auto endpoint = wire::read_agent_endpoint(endpoint_file);
  if (!endpoint) {
    problem_ = endpoint.error().message;
    return;
  }
  auto connected =
      wire::TelemetrySender::connect(*endpoint, sender.node, sender.rank, sender.attempt);
  if (!connected) {
    problem_ = connected.error().message;
    return;
  }
  ring_ = std::make_unique<ByteRing>(ring_bytes);
  const runlog::RunFolder folder(endpoint_file.parent_path());
  sender_thread_ = std::make_unique<SenderThread>(
      std::move(*connected), *ring_, stop_request_,
      SenderThread::Unsent{folder.unsent_path(sender.attempt, sender.rank), endpoint->run_id});
}

Reporter::~Reporter() = default;

void Reporter::note_too_large(std::string_view name, std::size_t bytes) {
  if (std::exchange(noted_too_large_, true)) return;
  post(messages::Notice{messages::Severity::kWarning, "record_too_large",
                        "a record (" + std::string(name) + ") of " + std::to_string(bytes) +
                            " bytes was left out, and so are others like it: one has at most " +
                            std::to_string(messages::kMaxBodyBytes) + " bytes"});
}

ReporterCounts Reporter::finish(std::int64_t budget_ns) {
  if (!sender_thread_) return counts_;
  sender_thread_->stamp = sender_;
  sender_thread_->counts = counts_;
  sender_thread_->end(mono_now_ns() + budget_ns);
  counts_ = sender_thread_->counts;
  sender_thread_.reset();
  ring_.reset();
  return counts_;
}

}  // namespace ringside::telemetry
