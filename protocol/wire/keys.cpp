#include "protocol/wire/keys.h"

#include <sys/random.h>
#include <zmq.h>

#include <array>

namespace ringside::wire {

Result<KeyPair> make_key_pair() {
  std::array<char, 41> public_key{};
  std::array<char, 41> secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
    return failure(
        "cannot make a key pair: this libzmq is built without CURVE; install one with libsodium");
  }
  return KeyPair{public_key.data(), secret_key.data()};
}

std::uint64_t make_token() {
  std::uint64_t token = 0;
  // The call waits until the kernel's pool is ready.
  while (::getentropy(&token, sizeof token) != 0) {
  }
  return token;
}

}  // namespace ringside::wire
