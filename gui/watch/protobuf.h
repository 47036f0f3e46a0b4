// Reads the fields of a protocol buffer message one after another, without its definition; supports
// the few wire types that event files use (protobuf.dev/programming-guides/encoding). Pure; refers
// to bytes that must outlive it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ringside::watch {

/// Reads a little-endian value from the front of `bytes`, which must be long enough.
template <class T>
T fixed_of(std::string_view bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Takes a number off the front of `bytes`; false if there is none.
bool take_varint(std::string_view& bytes, std::uint64_t& value);

struct ProtoField {
  enum class Type : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  std::uint32_t number = 0;
  Type type = Type::kVarint;
  std::uint64_t value = 0;  ///< bits of the value, for all types but kBytes
  std::string_view bytes;   ///< for kBytes

  bool is(std::uint32_t wanted, Type wanted_type) const {
    return number == wanted && type == wanted_type;
  }
};

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}
  /// False at the end, and if the rest is not a field.
  bool next(ProtoField& field);
  /// Whether the end was reached when next() returned false.
  bool whole() const { return whole_; }

 private:
  bool take_fixed(std::size_t size, std::uint64_t& value);

  std::string_view rest_;
  bool whole_ = true;
};

}  // namespace ringside::watch
