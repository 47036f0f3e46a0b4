// One trial of goal 12: a process that appends to a log is killed at a random moment, the file is
// then cut, spoiled or left alone, and what a reader finds is held against what was acknowledged.
// Shared by a short test and a long benchmark. Forks: call it before there is a thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::runlog {

enum class Damage : std::uint8_t { kNone, kCut, kFlip };

struct CrashTrial {
  std::string problem;               ///< empty: every promise was kept
  std::uint64_t acknowledged = 0;    ///< records whose append had returned
  std::uint64_t recovered = 0;       ///< records that a reader found
  std::uint64_t lost_after_ack = 0;  ///< of the acknowledged ones, without further damage
};

/// `seed` decides everything but the moment of the kill. `path` is made anew and left behind.
CrashTrial run_crash_trial(const std::filesystem::path& path, Damage damage, std::uint64_t seed);

}  // namespace ringside::runlog
