// What a Poller needs to know of a socket of this folder. A value; valid as long as its socket.
#pragma once

namespace ringside::wire {

struct PollHandle {
  void* socket = nullptr;
};

}  // namespace ringside::wire
