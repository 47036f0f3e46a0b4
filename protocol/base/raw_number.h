// Reads and writes numbers at unaligned addresses, in the byte order of this machine. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstring>

namespace ringside {

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
T load(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace ringside
