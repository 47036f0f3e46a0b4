// Threads that nobody waits for any more: they were told to end, and do so within their own
// patience while the window goes on. They are waited for once, at the end of the program. Any
// thread.
#pragma once

#include <thread>

namespace ringside::remote {

void leave(std::thread thread);

}  // namespace ringside::remote
