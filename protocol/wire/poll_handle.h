// Handle of a socket of this folder for a Poller. A value; valid as long as its socket.
#pragma once

namespace ringside::wire {

struct PollHandle {
  void* socket = nullptr;
};

}  // namespace ringside::wire
