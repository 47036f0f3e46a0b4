// Where the records of a log end: the newest of them, and whether it tells the end of the run.
// Plain data and a sink; used by whoever reads the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/messages/record_sink.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runs {

struct LogEnd {
  std::optional<messages::Stamp> stamp;  ///< of the newest record; nothing: there is none
  std::string_view kind;                 ///< "step"
  Step step = -1;                        ///< where records of that kind have one
  bool run_ended = false;                ///< the newest state of the run is a final one
  bool ranks_spoke = false;              ///< there is a record of a rank
};

/// What is missing in a log that was read, as far as the log itself tells.
struct LogDamage {
  runlog::LogProgress log;
  LogEnd end;
  /// Nobody writes it any more: what is not whole at its end never will be.
  bool left = false;
  std::uint64_t lost_records = 0;  ///< that never came into it
  bool lost_more = false;  ///< a rank ended without its goodbye: how many it lost is not known
  std::vector<Node> missing_nodes = {};  ///< whose logs are not there: see missing_logs.h

  bool cut() const { return left && (log.tail_bytes > 0 || !end.run_ended); }
};

/// Hands on what it takes and remembers the end.
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
