// Identity of this host and of its boot, and whether a process of it is stopped. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

/// 36 characters that change with every boot, from /proc; empty where there is none. Monotonic
/// times and process start times compare only within one boot.
std::string current_boot_id();

std::string host_name();

/// What follows the program's name in the text of /proc/PID/stat; the name may hold anything,
/// parentheses and blanks too: "S 1 4711 ...", from field 3 on, proc(5). Empty: it is not whole.
std::string_view stat_fields(std::string_view stat);

/// The process is stopped (SIGSTOP), and is a program of that name, at most 15 letters; of any name
/// where that is empty.
bool is_stopped(std::int64_t pid, std::string_view name = {});

}  // namespace ringside
