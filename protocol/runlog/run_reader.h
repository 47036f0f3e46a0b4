// Reads the logs of all nodes of a run as one, like LogReader reads one log: finished, live or
// damaged. The progress is the sum over all logs. Used by one thread; owns the files.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/runlog/log_merge.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

class RunReader {
 public:
  /// Opens the logs that exist now, even without that of node 0. A bad request if there is none; an
  /// error if one cannot be opened.
  static Result<RunReader> open(const RunFolder& folder);

  /// Like LogReader::poll.
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

/// The identity in the file header of a log; empty when it is damaged or incomplete.
LogIdentity identity_in(ByteFile& log);

void add_progress(LogProgress& all, const LogProgress& one);

/// Reads all logs of a run, including damaged ends. Fails when `watch` cancels it.
Result<LogProgress> read_run(const RunFolder& folder, messages::RecordSink& sink,
                             const ReadWatch& watch = {});

}  // namespace ringside::runlog
