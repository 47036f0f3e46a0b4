// A free port on 127.0.0.1, held so that the system gives it to no other process. Programs that set
// SO_REUSEADDR before they bind, as torch's store does, can still listen on it: nobody listens
// here. Released with the object.
#pragma once

#include <utility>

#include "protocol/base/result.h"

namespace ringside::agent {

class ReservedPort {
 public:
  static Result<ReservedPort> take();
  ReservedPort(ReservedPort&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), port_(other.port_) {}
  ReservedPort& operator=(ReservedPort&&) = delete;
  ReservedPort(const ReservedPort&) = delete;
  ~ReservedPort();

  int port() const { return port_; }

 private:
  ReservedPort(int fd, int port) : fd_(fd), port_(port) {}
  int fd_;
  int port_;
};

}  // namespace ringside::agent
