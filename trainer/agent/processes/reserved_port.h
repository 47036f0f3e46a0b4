// A free port of an interface, held so that the system gives it to no other process. Programs that
// set SO_REUSEADDR before they bind, as torch's store does, can still listen on it, whoever's they
// are, except while it is open: others can try whether they reach it, and a rank can take over what
// listens. Released with the object.
#pragma once

#include <string>
#include <utility>

#include "protocol/base/result.h"
#include "protocol/host/descriptor.h"

namespace ringside::agent {

class ReservedPort {
 public:
  static Result<ReservedPort> take(const std::string& address = "127.0.0.1");

  const std::string& address() const { return address_; }
  int port() const { return port_; }

  /// Listens, and accepts nobody, until shut(). From then on nobody else can.
  Result<void> open();
  void shut() { listener_ = Descriptor(-1); }
  /// What listens, for a rank to inherit; below 0: it is shut.
  int listener() const { return listener_.get(); }

 private:
  ReservedPort(std::string address, Descriptor socket, int port)
      : address_(std::move(address)), socket_(std::move(socket)), port_(port) {}
  std::string address_;
  Descriptor socket_;
  Descriptor listener_{-1};
  int port_;
};

}  // namespace ringside::agent
