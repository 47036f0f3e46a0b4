// What a rank could not send before it ended, as a small run log in its attempt's folder: see
// FORMAT.md. The rank writes it, the agent of the folder takes it into the node's log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "protocol/base/result.h"
#include "protocol/messages/record_sink.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runlog {

/// `goodbye`: the rank's last record. `batches`: whole records each, oldest first, the goodbye
/// among them. Not synced: it outlives the process, not the power. After an error what was written
/// stays.
Result<void> write_unsent(const std::filesystem::path& path, const LogIdentity& identity,
                          std::span<const std::byte> goodbye,
                          std::span<const std::span<const std::byte>> batches);

/// The sender whose records are accepted.
struct UnsentSender {
  RunId run_id;
  Node node = 0;
  Rank rank = 0;
  std::uint64_t next_seq = 0;  ///< what lies below is in the log already
};

struct UnsentRead {
  std::uint64_t records = 0;  ///< passed to the sink
  std::uint64_t refused = 0;  ///< of another run or sender
  std::uint64_t damaged_bytes = 0;
};

/// Passes on the records that the log does not have, in the order of their numbers, the goodbye
/// last. Errors: the file cannot be read.
Result<UnsentRead> read_unsent(const std::filesystem::path& path, const UnsentSender& of,
                               messages::RecordSink& sink);

}  // namespace ringside::runlog
