// A time limit for each step in which a group of ranks connects. NCCL connects without a time-out
// of its own, and a rank that waits there cannot be interrupted, so a watchdog thread ends the
// process and reports the step. Written by the training thread, read by any; one for the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::dist {

/// The steps that have a time-out of their own end by it and say more, so that the limit gives them
/// so much longer.
inline constexpr std::chrono::seconds kOwnWords{2};

/// Keeps the process in one such step for as long as it lives.
class Forming {
 public:
  /// `phase` is a literal, the last collective from now on; `limit`: of a collective.
  Forming(const char* phase, std::chrono::milliseconds limit);
  ~Forming();
  Forming(const Forming&) = delete;
  Forming& operator=(const Forming&) = delete;
};

/// Why to give up at `now_ns`: the step that takes longer than its limit, and NCCL's last words.
/// Empty: none does.
std::string overdue_forming(std::int64_t now_ns);

/// Makes NCCL log its connecting to `file` from now on, unless NCCL_DEBUG is set to something else.
/// Must be called before the first group is made.
void keep_nccl_words(const std::filesystem::path& file);

/// "; NCCL's last words: ..." out of the file that NCCL_DEBUG_FILE names; empty: it has none.
std::string nccl_last_words();

}  // namespace ringside::dist
