// One trial of goal 12: a process that appends to a log is killed at a random moment; the file is
// then cut, corrupted or left alone, and what a reader finds is compared with what was
// acknowledged. Shared by a short test and a long benchmark. Forks, so call it before creating
// threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::runlog {

enum class Damage : std::uint8_t { kNone, kCut, kFlip };

struct CrashTrial {
  std::string problem;               ///< empty: all promises were kept
  std::uint64_t acknowledged = 0;    ///< records whose append had returned
  std::uint64_t recovered = 0;       ///< records that a reader found
  std::uint64_t lost_after_ack = 0;  ///< acknowledged records that were lost without further damage
};

/// `seed` determines everything but the moment of the kill. `path` is created and not deleted.
CrashTrial run_crash_trial(const std::filesystem::path& path, Damage damage, std::uint64_t seed);

}  // namespace ringside::runlog
