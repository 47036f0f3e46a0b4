// Reads the logs of a run's nodes as one, as LogReader reads one of them: finished, live and
// damaged ones alike. Progress is of all of them together. Used by one thread; owns the files.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/runlog/log_merge.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

class RunReader {
 public:
  /// Opens the logs that exist now, even if that of node 0 is missing. A bad request if there is
  /// none; an error if one cannot be opened.
  static Result<RunReader> open(const RunFolder& folder);

  /// Reads on as LogReader does.
  Result<LogProgress> poll(messages::RecordSink& sink,
                           std::uint64_t max_bytes = LogReader::kNoLimit);
  LogProgress finish(messages::RecordSink& sink);
  /// Identity in the log of node 0; empty without its log.
  const LogIdentity& identity() const;

 private:
  struct Log {
    Node node = 0;
    LogReader reader;
    LogProgress progress = {};
  };
  RunReader() = default;
  LogProgress progress() const;

  std::vector<Log> logs_;
  LogMerge merge_;
};

/// What the head of a log says; empty where it is not whole.
LogIdentity identity_in(ByteFile& log);

/// Adds what another log has.
void add_progress(LogProgress& all, const LogProgress& one);

/// All of them, damaged ends included. Fails when `watch` cancels it.
Result<LogProgress> read_run(const RunFolder& folder, messages::RecordSink& sink,
                             const ReadWatch& watch = {});

}  // namespace ringside::runlog
