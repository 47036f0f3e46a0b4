// CURVE keys and run tokens. Keys are kept only in agent.json (mode 0600) and in memory, never in
// argv, the environment, a log or an error text. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"

namespace ringside::wire {

/// Z85 text of 40 characters each (RFC 32 of ZeroMQ).
struct KeyPair {
  std::string public_key;
  std::string secret_key;
};

Result<KeyPair> make_key_pair();

/// 64 random bits from the kernel, which identify a run on the wire.
std::uint64_t make_token();

}  // namespace ringside::wire
