// Implementation of the Authenticator, for the sockets that it opens; internal to this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "protocol/wire/authenticator.h"
#include "protocol/wire/keys.h"
#include "protocol/wire/socket.h"

namespace ringside::wire {

struct Authenticator::Impl {
  // The context is declared first, so that it is closed last.
  Context context;
  KeyPair server;
  Socket access;                 // ZeroMQ sends each key to it for approval (RFC 27 of ZeroMQ, ZAP)
  std::vector<Socket> monitors;  // one per socket of this authenticator
  std::map<std::string, RunId> authorized;  // client public key, 32 raw bytes -> run
  AuthenticatorCounts counts;

  /// Opens a ROUTER socket with CURVE on a port that the system chooses.
  Result<Socket> open_router(std::int64_t max_message_bytes, int receive_mark, int send_mark,
                             const std::string& address = "127.0.0.1");
  Result<void> watch(Socket& socket);
  void answer_access();
  void drain_monitors();
};

/// tcp://127.0.0.1:PORT of a bound socket.
std::string endpoint_of(const Socket& socket);

}  // namespace ringside::wire
