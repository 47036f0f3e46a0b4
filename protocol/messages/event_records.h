// Occasional records: clock synchronization, checkpoint, notice, named value. Plain data;
// record_types.h describes the encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"
#include "protocol/messages/states.h"

namespace ringside::messages {

/// Maximum relative drift of two clocks, in parts per million. RFC 5905's frequency tolerance PHI
/// (15 ppm) is for a clock disciplined by NTP. These clocks may be free-running or slewed, and
/// computer crystals are off by some 10 to 50 ppm.
inline constexpr std::int64_t kClockDriftPpm = 50;
/// Uncertainty that a clock comparison gains over this time, before or after its moment; rounded
/// up.
constexpr std::int64_t clock_drift_ns(std::int64_t span_ns) {
  constexpr std::int64_t kPerNs = 1'000'000 / kClockDriftPpm;
  return span_ns == 0 ? 0 : (span_ns < 0 ? -(span_ns / kPerNs) : span_ns / kPerNs) + 1;
}

/// clock(peer) - clock(this node) and its uncertainty at the moment of the record; clock_drift_ns()
/// is added before and after it. A rank reports one with its own node as the peer, for the
/// uncertainty of its own times, which were converted from its device's clock.
struct ClockSync {
  static constexpr RecordType kType = RecordType::kClockSync;
  static constexpr std::string_view kName = "clock_sync";
  static constexpr bool kAgentMaySay = true;
  Node peer = 0;
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;

  RINGSIDE_FIELDS(peer, offset_ns, uncertainty_ns)
};

struct Checkpoint {
  static constexpr RecordType kType = RecordType::kCheckpoint;
  static constexpr std::string_view kName = "checkpoint";
  static constexpr bool kAgentMaySay = true;
  Epoch epoch = 0;  ///< last completed epoch, or the current one if saved within an epoch
  Step step = 0;    ///< steps completed
  std::string path;
  std::int64_t size_bytes = 0;
  double seconds = 0.0;

  RINGSIDE_FIELDS(epoch, step, path, size_bytes, seconds)
};

struct Notice {
  static constexpr RecordType kType = RecordType::kNotice;
  static constexpr std::string_view kName = "notice";
  static constexpr bool kAgentMaySay = true;
  Severity severity = Severity::kInfo;
  std::string code;  ///< stable name for scripts, such as "disk_full"
  std::string text;

  RINGSIDE_FIELDS(severity, code, text)
};

struct Scalar {
  static constexpr RecordType kType = RecordType::kScalar;
  static constexpr std::string_view kName = "scalar";
  static constexpr bool kAgentMaySay = true;
  static constexpr std::size_t kFieldsAtFirst = 3;  ///< older programs may post only these
  std::string name;
  Step step = 0;
  double value = 0.0;
  std::uint8_t own_step =
      0;  ///< 1: the program gave this step number; 0: it counts the run's steps

  RINGSIDE_FIELDS(name, step, value, own_step)
};

}  // namespace ringside::messages
