// Encodes and decodes records as specified in FORMAT.md. Pure; no thread, no state.
// Decoding checks every length, skips and counts what it does not know, and never reads past its
// input.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/messages/record_sink.h"
#include "protocol/messages/record_types.h"

namespace ringside::messages {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, as is the code");

inline constexpr std::size_t kRecordHeaderBytes = 32;
inline constexpr std::size_t kMaxBodyBytes = std::size_t{1} << 20;

namespace detail {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Encoded bytes of one field: scalars as they are, strings and lists as u32 count + items.
template <class T>
std::size_t field_bytes(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return 4 + value.size();
  } else if constexpr (IsVector<T>::value) {
    return 4 + value.size() * sizeof(typename T::value_type);
  } else {
    return sizeof(T);
  }
}

inline std::byte* put_bytes(std::byte* at, const void* from, std::size_t count) {
  if (count > 0) std::memcpy(at, from, count);
  return at + count;
}

template <class T>
std::byte* put_field(std::byte* at, const T& value) {
  if constexpr (std::is_same_v<T, std::string> || IsVector<T>::value) {
    const auto count = static_cast<std::uint32_t>(value.size());
    at = put_bytes(at, &count, sizeof count);
    return put_bytes(at, value.data(), field_bytes(value) - 4);
  } else {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_bytes(at, &value, sizeof value);
  }
}

}  // namespace detail

/// Number of bytes that put_record writes for this body, header included.
template <class Body>
std::size_t encoded_bytes(const Body& body) {
  std::size_t total = kRecordHeaderBytes;
  Body::fields(body,
               [&](std::string_view, const auto& value) { total += detail::field_bytes(value); });
  return total;
}

/// Writes the header of a record at `at` and returns where its body begins.
inline std::byte* put_header(std::byte* at, const Stamp& stamp, RecordType type,
                             std::size_t body_bytes) {
  at = detail::put_field(at, static_cast<std::uint16_t>(type));
  at = detail::put_field(at, static_cast<std::uint16_t>(kRecordHeaderBytes));
  at = detail::put_field(at, static_cast<std::uint32_t>(body_bytes));
  at = detail::put_field(at, stamp.node);
  at = detail::put_field(at, stamp.rank);
  at = detail::put_field(at, stamp.seq);
  return detail::put_field(at, stamp.mono_ns);
}

/// Writes one record at `at`, which must have room for encoded_bytes(body), and returns its end.
/// Does not allocate.
template <class Body>
std::byte* put_record(std::byte* at, const Stamp& stamp, const Body& body) {
  at = put_header(at, stamp, Body::kType, encoded_bytes(body) - kRecordHeaderBytes);
  Body::fields(body,
               [&](std::string_view, const auto& value) { at = detail::put_field(at, value); });
  return at;
}

template <class Body>
void append_record(std::vector<std::byte>& out, const Stamp& stamp, const Body& body) {
  const std::size_t before = out.size();
  out.resize(before + encoded_bytes(body));
  put_record(out.data() + before, stamp, body);
}

/// Appends a record of any type. The function has a different name, so that code which writes one
/// type needs only the header of that type.
void append_any_record(std::vector<std::byte>& out, const Stamp& stamp, const Record& record);

/// Counts of one decoding. `records` are those passed to the sink.
struct DecodeCounts {
  std::uint64_t records = 0;
  std::uint64_t unknown_types = 0;  ///< types of a newer version; skipped
  std::uint64_t malformed = 0;      ///< lengths that do not fit; the rest of the payload is then
                                    ///< skipped
  bool operator==(const DecodeCounts&) const = default;
};

/// Decodes consecutive records and passes each to `sink`; adds to `counts`.
void decode_records(std::span<const std::byte> payload, RecordSink& sink, DecodeCounts& counts);

/// The name (kName) of the record type when `body` is exactly as long as its fields; fields that
/// were appended after the first version (beyond kFieldsAtFirst) may be missing. Empty when it is
/// not, or when the type is unknown. Does not allocate.
std::string_view whole_body_of(RecordType type, std::span<const std::byte> body);

/// Type, length and stamp of the record at the front of `payload`, without its body.
struct RecordHead {
  RecordType type{};
  std::size_t total_bytes = 0;  ///< header and body
  Stamp stamp;
};

/// Returns false when the front of `payload` is not a whole record.
bool peek_record(std::span<const std::byte> payload, RecordHead& head);

}  // namespace ringside::messages
