// Threads that were asked to end and that the window no longer waits for: each ends within its own
// timeout. They are joined once, at the end of the program. Any thread.
#pragma once

#include <thread>

namespace ringside::remote {

void leave(std::thread thread);

}  // namespace ringside::remote
