// A free port of an interface, held so that the system gives it to no other process. Programs that
// set SO_REUSEADDR before they bind, as torch's store does, can still listen on it, whoever's they
// are, except while it is open: others can try whether they reach it, and a rank can take over what
// listens. Released with the object.
#pragma once

#include <string>
#include <utility>

#include "protocol/base/result.h"

namespace ringside::agent {

class ReservedPort {
 public:
  static Result<ReservedPort> take(const std::string& address = "127.0.0.1");
  ReservedPort(ReservedPort&& other) noexcept
      : address_(std::move(other.address_)),
        fd_(std::exchange(other.fd_, -1)),
        listener_(std::exchange(other.listener_, -1)),
        port_(other.port_) {}
  ReservedPort& operator=(ReservedPort&&) = delete;
  ReservedPort(const ReservedPort&) = delete;
  ~ReservedPort();

  const std::string& address() const { return address_; }
  int port() const { return port_; }

  /// Listens, and accepts nobody, until shut(). From then on nobody else can.
  Result<void> open();
  void shut();
  /// What listens, for a rank to inherit; below 0: it is shut.
  int listener() const { return listener_; }

 private:
  ReservedPort(std::string address, int fd, int port)
      : address_(std::move(address)), fd_(fd), port_(port) {}
  std::string address_;
  int fd_;
  int listener_ = -1;
  int port_;
};

}  // namespace ringside::agent
