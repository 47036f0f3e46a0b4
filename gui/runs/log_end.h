// Where the records of a log end: the newest record, and whether it is the end of the run. Plain
// data and a sink; used by the thread that reads the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/messages/record_sink.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runs {

struct LogEnd {
  /// Time of the newest record; nothing: there are no records.
  std::optional<messages::Stamp> stamp;
  std::string_view kind;     ///< such as "step"
  Step step = -1;            ///< if records of that kind have one
  bool run_ended = false;    ///< the newest state of the run is final
  bool ranks_spoke = false;  ///< there is a record from a rank
};

/// What is missing from a log that was read, according to the log itself.
struct LogDamage {
  runlog::LogProgress log;
  LogEnd end;
  /// Nobody writes the log any more: an incomplete end will stay incomplete.
  bool left = false;
  std::uint64_t lost_records = 0;  ///< that never reached the log
  bool lost_more = false;  ///< a rank ended without its last message, so the number of its lost
                           ///< records is unknown
  std::vector<Node> missing_nodes = {};  ///< nodes whose logs are missing: see missing_logs.h

  bool cut() const { return left && (log.tail_bytes > 0 || !end.run_ended); }
};

/// Passes records on and remembers the last one.
class LogEndWatch final : public messages::RecordSink {
 public:
  explicit LogEndWatch(messages::RecordSink& to) : to_(to) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override;
  LogEnd end() const;

 private:
  messages::RecordSink& to_;
  std::optional<messages::Stamp> stamp_;
  std::size_t place_ = 0;
  Step step_ = -1;
  bool ended_ = false;
  bool ranks_spoke_ = false;
};

}  // namespace ringside::runs
