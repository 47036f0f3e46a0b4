// A time limit for each phase in which a group of ranks connects. NCCL has no timeout for
// connecting, and a rank that waits in it cannot be interrupted, so a watchdog thread ends the
// process and names the phase. Set by the training thread, read by any; one per process.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::dist {

/// Added to the limit, so that phases with a timeout of their own can report it in more detail.
inline constexpr std::chrono::seconds kOwnWords{2};

/// The process is in this phase as long as the object lives.
class Forming {
 public:
  /// `phase` is a literal and becomes the last collective; `limit` is the timeout of a collective.
  Forming(const char* phase, std::chrono::milliseconds limit);
  ~Forming();
  Forming(const Forming&) = delete;
  Forming& operator=(const Forming&) = delete;
};

/// Why to give up at `now_ns`: the phase that exceeds its limit, and NCCL's last log line. Empty
/// when none does.
std::string overdue_forming(std::int64_t now_ns);

/// Makes NCCL log its connection setup to `file`, unless NCCL_DEBUG is already set. Call before the
/// first group is created.
void keep_nccl_words(const std::filesystem::path& file);

/// "; NCCL's last words: ...": the last line of the file named by NCCL_DEBUG_FILE; empty if there
/// is none.
std::string nccl_last_words();

}  // namespace ringside::dist
