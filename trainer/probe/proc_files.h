// Reads files of /proc under a root that tests can choose. Pure apart from the files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::probe {

/// The whole content of a file whose size the kernel does not report, up to 1 MiB; empty when it
/// cannot be read.
std::optional<std::string> proc_text(const std::filesystem::path& path);

/// Fields of /proc/PID/stat of one process (proc(5)).
struct ProcessStat {
  char state = '?';  ///< R running, S sleeping, D waiting in the kernel, T stopped, Z zombie
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t cpu_ticks = 0;    ///< user and system time, all threads
  std::int64_t ended_ticks = 0;  ///< of children that it has waited for, including theirs
  std::int64_t start_ticks = 0;  ///< since boot; unique together with the pid
};
std::optional<ProcessStat> process_stat(const std::filesystem::path& root, std::int64_t pid);

/// Processor time used so far by a process, whose stat is `own`, and by all processes that it
/// started: loaders, compilers, launched programs.
std::int64_t family_ticks(const std::filesystem::path& root, std::int64_t pid,
                          const ProcessStat& own);

/// Resident set in bytes; empty when the process is gone or has ended.
std::optional<std::int64_t> resident_bytes(const std::filesystem::path& root, std::int64_t pid);

/// All process ids under root/proc.
std::vector<std::int64_t> process_ids(const std::filesystem::path& root);

/// The number after `key` in lines like "MemTotal:  123 kB" or "oom_kill 1".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view key);

}  // namespace ringside::probe
