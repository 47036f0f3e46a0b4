// A free port of an interface, kept bound so that the system does not assign it to another process.
// A program of any user that sets SO_REUSEADDR, as torch's store does, can still listen on it,
// unless this object is listening: then other nodes can test the connection, and a rank can inherit
// the listening socket. Released with the object.
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

  /// Listens, without accepting, until shut(). Meanwhile nobody else can listen on the port.
  Result<void> open();
  void shut() { listener_ = Descriptor(-1); }
  /// The listening socket, for a rank to inherit; negative when shut.
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
