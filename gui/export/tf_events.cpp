#include "gui/export/tf_events.h"

#include <bit>

#include "protocol/runlog/crc32c.h"

namespace ringside::exporting {
namespace {

// Wire types of protocol buffers.
constexpr std::uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

// Field numbers.
constexpr std::uint32_t kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3,
                        kEventSummary = 5;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kValueTag = 1, kValueSimpleValue = 2;

template <class T>
void put_fixed(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

void put_key(std::string& out, std::uint32_t field, std::uint32_t wire_type) {
  put_varint(out, field << 3U | wire_type);
}

void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_wall_time(std::string& out, double wall_time_s) {
  put_key(out, kEventWallTime, kFixed64);
  put_fixed(out, std::bit_cast<std::uint64_t>(wall_time_s));
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = runlog::crc32c(std::as_bytes(std::span(bytes)));
  return (crc >> 15U | crc << 17U) + 0xa282ead8U;
}

void append_tf_record(std::string& file, std::string_view bytes) {
  std::string length;
  put_fixed(length, std::uint64_t{bytes.size()});
  file += length;
  put_fixed(file, masked_crc32c(length));
  file += bytes;
  put_fixed(file, masked_crc32c(bytes));
}

void append_file_version(std::string& file, double wall_time_s) {
  std::string event;
  put_wall_time(event, wall_time_s);
  put_bytes(event, kEventFileVersion, "brain.Event:2");
  append_tf_record(file, event);
}

void append_scalars(std::string& file, double wall_time_s, std::int64_t step,
                    std::span<const TaggedValue> values) {
  std::string summary;
  std::string value;
  for (const TaggedValue& one : values) {
    value.clear();
    put_bytes(value, kValueTag, one.tag);
    put_key(value, kValueSimpleValue, kFixed32);
    put_fixed(value, std::bit_cast<std::uint32_t>(one.value));
    put_bytes(summary, kSummaryValue, value);
  }
  std::string event;
  put_wall_time(event, wall_time_s);
  put_key(event, kEventStep, kVarint);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_bytes(event, kEventSummary, summary);
  append_tf_record(file, event);
}

}  // namespace ringside::exporting
