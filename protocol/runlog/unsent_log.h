// Records that a rank could not send before it ended, as a small run log in its attempt's folder:
// see FORMAT.md. The rank writes it; the folder's agent appends it to the node's log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "protocol/base/result.h"
#include "protocol/messages/record_sink.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runlog {

/// `goodbye` is the rank's last record. `batches` are whole records, oldest first, including the
/// goodbye. Not synced, so the file survives the process but not a power failure. After an error,
/// what was already written stays.
Result<void> write_unsent(const std::filesystem::path& path, const LogIdentity& identity,
                          std::span<const std::byte> goodbye,
                          std::span<const std::span<const std::byte>> batches);

/// The sender whose records are accepted.
struct UnsentSender {
  RunId run_id;
  Node node = 0;
  Rank rank = 0;
  std::uint64_t next_seq = 0;  ///< lower numbers are already in the log
};

struct UnsentRead {
  std::uint64_t records = 0;  ///< passed to the sink
  std::uint64_t refused = 0;  ///< records of another run or sender
  std::uint64_t damaged_bytes = 0;
};

/// Passes the records that the log does not have to the sink by ascending number, the goodbye last.
/// Errors: the file cannot be read.
Result<UnsentRead> read_unsent(const std::filesystem::path& path, const UnsentSender& of,
                               messages::RecordSink& sink);

}  // namespace ringside::runlog
