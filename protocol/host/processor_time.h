// Processor time used so far; waiting does not count. Any thread.
#pragma once

#include <cstdint>

namespace ringside {

std::int64_t process_cpu_ns();  ///< all threads of this process
std::int64_t thread_cpu_ns();   ///< the calling thread

}  // namespace ringside
