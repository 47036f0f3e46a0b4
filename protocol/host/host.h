// Identity of this host and its current boot, and whether a process is stopped. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

/// 36 characters of the system that change with every boot; empty when unavailable. Monotonic times
/// and process start times can be compared only within one boot.
std::string current_boot_id();

std::string host_name();

/// The part of the text of /proc/PID/stat after the program's name, "S 1 4711 ...", from field 3
/// on, see proc(5). The name may contain anything, parentheses and blanks too. Empty when the text
/// is incomplete.
std::string_view stat_fields(std::string_view stat);

/// Whether the process is stopped (SIGSTOP) and its program has this name (at most 15 letters); an
/// empty name matches any program.
bool is_stopped(std::int64_t pid, std::string_view name = {});

}  // namespace ringside
