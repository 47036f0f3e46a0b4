// Files of other tools, made from the descriptions of their formats and not with our readers: event
// files, W&B's blocks, and protocol buffer messages.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "gui/export/tf_events.h"

namespace ringside::testing {

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFFU);
  return bytes;
}

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  return bytes + static_cast<char>(value);
}

inline std::string number_field(std::uint32_t field, std::uint64_t value) {
  return varint(std::uint64_t{field} << 3U) + varint(value);
}
inline std::string bytes_field(std::uint32_t field, std::string_view bytes) {
  return varint(std::uint64_t{field} << 3U | 2U) + varint(bytes.size()) + std::string(bytes);
}
inline std::string double_field(std::uint32_t field, double value) {
  return varint(std::uint64_t{field} << 3U | 1U) +
         little_endian(std::bit_cast<std::uint64_t>(value));
}
inline std::string float_field(std::uint32_t field, float value) {
  return varint(std::uint64_t{field} << 3U | 5U) +
         little_endian(std::bit_cast<std::uint32_t>(value));
}

/// An event file with one value.
inline std::string event_file(double wall_s, std::int64_t step, std::string_view tag, float value) {
  std::string file;
  exporting::append_file_version(file, wall_s);
  const exporting::TaggedValue tagged[] = {{tag, value}};
  exporting::append_scalars(file, wall_s, step, tagged);
  return file;
}

/// zlib's crc32, bit by bit (RFC 1952, section 8).
inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

/// A W&B file: records split into blocks of 32 KiB.
class WandbFile {
 public:
  void add(std::string_view record) {
    bool first = true;
    do {
      std::size_t left = kBlock - bytes.size() % kBlock;
      if (left < kHead) bytes.append(std::exchange(left, kBlock), '\0');
      const std::size_t size = std::min(record.size(), left - kHead);
      const bool last = size == record.size();
      const int type = first && last ? 1 : first ? 2 : last ? 4 : 3;
      const std::string part = static_cast<char>(type) + std::string(record.substr(0, size));
      bytes += little_endian(crc32(part)) + little_endian(static_cast<std::uint16_t>(size)) + part;
      record.remove_prefix(size);
      first = false;
      if (last) return;
    } while (true);
  }
  void add_history(std::int64_t step,
                   std::initializer_list<std::pair<std::string, std::string>> items) {
    std::string history;
    for (const auto& [name, json] : items)
      history += bytes_field(1, bytes_field(2, name) + bytes_field(16, json));
    if (step >= 0) {
      const std::string number = number_field(1, static_cast<std::uint64_t>(step));
      history += bytes_field(2, step == 0 ? std::string() : number);
    }
    add(number_field(1, ++number_) + bytes_field(2, history));
  }

  std::string bytes = std::string(":W&B\xe1\xbe\0", 7);

 private:
  static constexpr std::size_t kBlock = 32768;
  static constexpr std::size_t kHead = 7;
  std::uint64_t number_ = 0;
};

}  // namespace ringside::testing
