// The processor time that is used up so far, which waiting does not add to. Any thread.
#pragma once

#include <cstdint>

namespace ringside {

std::int64_t process_cpu_ns();  ///< all threads of this process
std::int64_t thread_cpu_ns();   ///< the thread that asks

}  // namespace ringside
