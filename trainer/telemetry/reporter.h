// Posts telemetry without blocking: records go into a ring buffer, and a sender thread sends them.
// The training thread never waits; records that do not fit are dropped and counted, and leave gaps
// in the sequence numbers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/clock.h"
#include "protocol/messages/codec.h"
#include "protocol/wire/telemetry_sender.h"
#include "trainer/telemetry/byte_ring.h"

namespace ringside::telemetry {

/// Larger values are more urgent.
enum class StopRequest : int { kNone = 0, kGraceful = 1, kNow = 2 };

struct Sender {
  Node node = 0;
  Rank rank = 0;
  std::int32_t attempt = 0;
};

struct ReporterCounts {
  std::int64_t produced = 0;  ///< records posted
  std::int64_t dropped = 0;   ///< not sent: the ring was full, or the record exceeded the maximum
                              ///< size
  std::int64_t post_max_ns = 0;
  std::int64_t post_total_ns = 0;
};

class Reporter {
 public:
  static constexpr std::size_t kRingBytes = std::size_t{8} << 20;
  static constexpr std::int64_t kMaxLate_ns = 20'000'000;
  /// How to connect to the agent: a `connect` function of TelemetrySender.
  using Connect = decltype(&wire::TelemetrySender::connect);

  /// Not connected: the calls do nothing; no thread, no memory.
  Reporter();
  /// Connects to the agent of `endpoint_file`. Never fails, since a run must not end because of its
  /// telemetry: when the file is unusable, or there is no memory or thread available, `problem()`
  /// has the reason and nothing is sent.
  Reporter(const std::filesystem::path& endpoint_file, const Sender& sender,
           Connect connect = &wire::TelemetrySender::connect, std::size_t ring_bytes = kRingBytes);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  /// Training thread only. Does not wait, allocate or make system calls. `mono_ns` is the time of
  /// the event; 0 = now. A record that no reader would accept is dropped; a notice reports the
  /// first one.
  template <class Body>
  void post(const Body& body, std::int64_t mono_ns = 0) {
    put(messages::encoded_bytes(body), mono_ns, Body::kName,
        [&body](std::byte* place, const messages::Stamp& stamp) {
          messages::put_record(place, stamp, body);
        });
  }

  /// Posts an encoded body, which must be a whole body of `type` (whole_body_of). False: it was
  /// dropped.
  bool post_encoded(messages::RecordType type, std::span<const std::byte> body,
                    std::string_view name, std::int64_t mono_ns = 0) {
    return put(messages::kRecordHeaderBytes + body.size(), mono_ns, name,
               [type, body](std::byte* place, const messages::Stamp& stamp) {
                 place = messages::put_header(place, stamp, type, body.size());
                 if (!body.empty()) std::memcpy(place, body.data(), body.size());
               });
  }

  /// The agent's request; any thread.
  StopRequest stop_request() const {
    return static_cast<StopRequest>(stop_request_.load(std::memory_order_relaxed));
  }

  /// Sends the remaining records, then a RankGoodbye, and closes; returns when the agent has
  /// received all. After `budget_ns` it saves what the agent has not acknowledged, at most about 24
  /// MiB, in the attempt's folder: see runlog/unsent_log.h. Nothing may be posted afterwards.
  /// Returns the final counts.
  ReporterCounts finish(std::int64_t budget_ns = 500'000'000);

  Node node() const { return sender_.node; }
  bool connected() const { return ring_ != nullptr; }
  const std::string& problem() const { return problem_; }

 private:
  struct SenderThread;

  // Counts the record and writes it to the ring with write(place, stamp). False: dropped.
  template <class Write>
  bool put(std::size_t bytes, std::int64_t mono_ns, std::string_view name, Write&& write) {
    if (!ring_) return false;
    const std::int64_t begin_ns = mono_now_ns();
    const messages::Stamp stamp{sender_.node, sender_.rank,
                                static_cast<std::uint64_t>(counts_.produced),
                                mono_ns > 0 ? mono_ns : begin_ns};
    ++counts_.produced;
    const bool readable = bytes <= messages::kRecordHeaderBytes + messages::kMaxBodyBytes;
    std::byte* const place = readable ? ring_->reserve(bytes) : nullptr;
    if (place != nullptr) {
      write(place, stamp);
      ring_->commit();
    } else {
      ++counts_.dropped;
    }
    if (!readable) note_too_large(name, bytes);
    const std::int64_t spent_ns = mono_now_ns() - begin_ns;
    counts_.post_total_ns += spent_ns;
    counts_.post_max_ns = std::max(counts_.post_max_ns, spent_ns);
    return place != nullptr;
  }

  void note_too_large(std::string_view name, std::size_t bytes);
  Result<void> begin(const std::filesystem::path& endpoint_file, Connect connect,
                     std::size_t ring_bytes);

  Sender sender_;
  std::string problem_;
  std::unique_ptr<ByteRing> ring_;
  ReporterCounts counts_;
  bool noted_too_large_ = false;
  std::atomic<int> stop_request_{0};
  std::unique_ptr<SenderThread> sender_thread_;
};

}  // namespace ringside::telemetry
