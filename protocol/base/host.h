// Which boot of which host this is. Any thread.
#pragma once

#include <string>

namespace ringside {

/// 36 characters that change with every boot, from /proc; empty where there is none. Monotonic
/// times and process start times compare only within one boot.
std::string current_boot_id();

std::string host_name();

}  // namespace ringside
