#include "trainer/telemetry/reporter.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/host/host.h"
#include "protocol/messages/event_records.h"
#include "protocol/messages/rank_records.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/runlog/unsent_log.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::telemetry {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{60} << 10;

// A thread's first exception allocates memory, and the process aborts if there is none. So one is
// thrown while memory is available.
void can_throw() {
  try {
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

// Empties the ring into batches, sends them, and receives stop requests.
struct Reporter::SenderThread {
  struct Unsent {
    std::filesystem::path path;
    RunId run_id;
  };

  SenderThread(wire::TelemetrySender to, ByteRing& from, std::atomic<int>& stop_request,
               Unsent unsent_to)
      : sender(std::move(to)), ring(from), stop(stop_request), unsent(std::move(unsent_to)) {
    batch.reserve(kBatchBytes * 2);
    thread = std::thread([this] { run(); });
    std::unique_lock lock(mutex);
    wake.wait(lock, [this] { return begun; });
  }

  ~SenderThread() { end(mono_now_ns()); }

  // Running out of memory does not end the thread: what could not be sent waits, and is finally
  // saved as unsent.
  void run() {
    can_throw();
    {
      const std::lock_guard lock(mutex);
      begun = true;
    }
    wake.notify_all();
    do {
      try {
        deliver();
        hear();
      } catch (const std::exception&) {
      }
    } while (!pause());
    try {
      flush_and_close();
    } catch (const std::exception&) {
    }
  }

  void hear() {
    const auto request = sender.poll_control();
    if (!request) return;
    const auto asked =
        request->mode == wire::StopMode::kNow ? StopRequest::kNow : StopRequest::kGraceful;
    stop.store(std::max(stop.load(), static_cast<int>(asked)));
  }

  // Returns true at the end. Posting a record does not wake this thread, since that would cost the
  // training thread a system call.
  bool pause() {
    if (sender.is_behind()) sender.wait(kMaxLate_ns);
    std::unique_lock lock(mutex);
    const std::int64_t left_ns = sender.is_behind() ? 0 : kMaxLate_ns;
    return wake.wait_for(lock, std::chrono::nanoseconds(left_ns), [this] { return ending; });
  }

  // Sends until the ring is empty; false when the socket accepts no more.
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
      // A record larger than a batch is sent alone.
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

  // If the folder is missing or full, the agent takes the missing goodbye for lost records.
  void leave_unsent() {
    const runlog::LogIdentity identity{unsent.run_id, stamp.node, SystemClock{}.wall_ns(),
                                       mono_now_ns(), current_boot_id()};
    [[maybe_unused]] const auto written =
        runlog::write_unsent(unsent.path, identity, batch, sender.unacknowledged());
  }

  void end(std::int64_t deadline) {
    if (!thread.joinable()) return;
    {
      const std::lock_guard lock(mutex);
      deadline_ns = deadline;
      ending = true;
    }
    wake.notify_one();
    thread.join();
  }

  wire::TelemetrySender sender;
  ByteRing& ring;
  std::atomic<int>& stop;
  Unsent unsent;
  std::vector<std::byte> batch;
  std::uint32_t batch_records = 0;
  // Published through `ending` under its lock: written before it, read by the thread after it, and
  // read again after the join.
  Sender stamp;
  ReporterCounts counts;
  std::int64_t deadline_ns = 0;
  std::mutex mutex;
  std::condition_variable wake;
  bool begun = false;
  bool ending = false;
  std::thread thread;
};

Reporter::Reporter() = default;

Reporter::Reporter(const std::filesystem::path& endpoint_file, const Sender& sender,
                   Connect connect, std::size_t ring_bytes)
    : sender_(sender) {
  try {
    const auto begun = begin(endpoint_file, connect, ring_bytes);
    if (begun) return;
    problem_ = begun.error().message;
  } catch (const std::bad_alloc&) {
    problem_ = "no memory";  // short enough to need no allocation
  } catch (const std::system_error& error) {
    problem_ = std::string("no thread can be made: ") + error.code().message();
  }
  ring_.reset();
}

Result<void> Reporter::begin(const std::filesystem::path& endpoint_file, Connect connect,
                             std::size_t ring_bytes) {
  const auto endpoint = RINGSIDE_TRY(wire::read_agent_endpoint(endpoint_file));
  ring_ = std::make_unique<ByteRing>(ring_bytes);
  can_throw();
  auto connected = RINGSIDE_TRY(connect(endpoint, sender_.node, sender_.rank, sender_.attempt,
                                        wire::TelemetrySender::kDefaultUnacknowledgedBytes));
  const runlog::RunFolder folder(endpoint_file.parent_path());
  sender_thread_ = std::make_unique<SenderThread>(
      std::move(connected), *ring_, stop_request_,
      SenderThread::Unsent{folder.unsent_path(sender_.attempt, sender_.rank), endpoint.run_id});
  return {};
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
