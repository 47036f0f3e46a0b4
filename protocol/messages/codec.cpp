#include "protocol/messages/codec.h"

#include <utility>

#include "protocol/messages/records.h"

namespace ringside::messages {
namespace {

// Reads the fields of one body in order. Reading ends where the body ends: fields that an older
// writer did not know keep their defaults. A list longer than the rest of the body is malformed.
class BodyReader {
 public:
  explicit BodyReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, std::string> || detail::IsVector<T>::value) {
      read_list(value);
    } else {
      take(&value, sizeof value);
    }
  }

  bool malformed() const { return malformed_; }

 private:
  template <class List>
  void read_list(List& list) {
    std::uint32_t count = 0;
    if (!take(&count, sizeof count)) return;
    if (count > left_.size() / sizeof(typename List::value_type)) return give_up();
    list.resize(count);
    take(list.data(), count * sizeof(typename List::value_type));
  }

  // One comparison in the common case. After the first field that does not fit, nothing is left to
  // read.
  bool take(void* into, std::size_t count) {
    if (count > left_.size()) {
      if (!left_.empty()) give_up();
      return false;
    }
    if (count > 0) std::memcpy(into, left_.data(), count);
    left_ = left_.subspan(count);
    return true;
  }

  void give_up() {
    malformed_ = true;
    left_ = {};
  }

  std::span<const std::byte> left_;
  bool malformed_ = false;
};

template <class Body>
bool decode_body(std::span<const std::byte> bytes, const Stamp& stamp, RecordSink& sink) {
  Record record{std::in_place_type<Body>};
  BodyReader reader(bytes);
  Body::fields(std::get<Body>(record), [&](std::string_view, auto& value) { reader.read(value); });
  if (reader.malformed()) return false;
  sink.accept(stamp, record);
  return true;
}

enum class Outcome { kDecoded, kUnknown, kMalformed };

template <std::size_t... I>
Outcome decode_any(RecordType type, std::span<const std::byte> bytes, const Stamp& stamp,
                   RecordSink& sink, std::index_sequence<I...>) {
  Outcome outcome = Outcome::kUnknown;
  const auto attempt = [&]<class Body>() {
    if (Body::kType != type) return false;
    outcome = decode_body<Body>(bytes, stamp, sink) ? Outcome::kDecoded : Outcome::kMalformed;
    return true;
  };
  (attempt.template operator()<std::variant_alternative_t<I, Record>>() || ...);
  return outcome;
}

// The minimum number of fields in a body of this type: those that were appended later may be
// missing.
template <class Body>
std::size_t least_fields() {
  if constexpr (requires { Body::kFieldsAtFirst; }) {
    return Body::kFieldsAtFirst;
  } else {
    std::size_t fields = 0;
    const Body blank{};
    Body::fields(blank, [&](std::string_view, const auto&) { ++fields; });
    return fields;
  }
}

// Whether the bytes end at the end of a field of Body, and contain at least its minimum of fields.
template <class Body>
bool is_whole(std::span<const std::byte> bytes) {
  std::size_t at = 0;
  std::size_t fields = 0;
  bool whole = false;
  const std::size_t least = least_fields<Body>();
  const auto skip = [&](std::size_t count) {
    at = at <= bytes.size() && count <= bytes.size() - at ? at + count : std::string_view::npos;
  };
  const Body sizes{};
  Body::fields(sizes, [&]<class T>(std::string_view, const T&) {
    if constexpr (std::is_same_v<T, std::string> || detail::IsVector<T>::value) {
      std::uint32_t items = 0;
      const std::size_t begin = at;
      skip(sizeof items);
      if (at == std::string_view::npos) return;
      std::memcpy(&items, bytes.data() + begin, sizeof items);
      skip(std::size_t{items} * sizeof(typename T::value_type));
    } else {
      skip(sizeof(T));
    }
    whole = whole || (++fields >= least && at == bytes.size());
  });
  return whole;
}

template <std::size_t... I>
std::string_view whole_body(RecordType type, std::span<const std::byte> body,
                            std::index_sequence<I...>) {
  std::string_view name;
  const auto attempt = [&]<class Body>() {
    if (Body::kType != type) return false;
    if (is_whole<Body>(body)) name = Body::kName;
    return true;
  };
  (attempt.template operator()<std::variant_alternative_t<I, Record>>() || ...);
  return name;
}

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

void append_any_record(std::vector<std::byte>& out, const Stamp& stamp, const Record& record) {
  std::visit([&](const auto& body) { append_record(out, stamp, body); }, record);
}

std::string_view whole_body_of(RecordType type, std::span<const std::byte> body) {
  return whole_body(type, body, std::make_index_sequence<std::variant_size_v<Record>>{});
}

bool peek_record(std::span<const std::byte> payload, RecordHead& head) {
  if (payload.size() < kRecordHeaderBytes) return false;
  const auto header_bytes = load<std::uint16_t>(payload, 2);
  const auto body_bytes = load<std::uint32_t>(payload, 4);
  if (header_bytes < kRecordHeaderBytes || body_bytes > kMaxBodyBytes) return false;
  if (payload.size() - kRecordHeaderBytes < header_bytes - kRecordHeaderBytes + body_bytes)
    return false;
  head.type = static_cast<RecordType>(load<std::uint16_t>(payload, 0));
  head.total_bytes = std::size_t{header_bytes} + body_bytes;
  head.stamp = Stamp{load<Node>(payload, 8), load<Rank>(payload, 12),
                     load<std::uint64_t>(payload, 16), load<std::int64_t>(payload, 24)};
  return true;
}

void decode_records(std::span<const std::byte> payload, RecordSink& sink, DecodeCounts& counts) {
  RecordHead head{};
  while (!payload.empty()) {
    if (!peek_record(payload, head)) {
      ++counts.malformed;
      return;
    }
    const auto header_bytes = std::size_t{load<std::uint16_t>(payload, 2)};
    const auto body = payload.subspan(header_bytes, head.total_bytes - header_bytes);
    switch (decode_any(head.type, body, head.stamp, sink,
                       std::make_index_sequence<std::variant_size_v<Record>>{})) {
      case Outcome::kDecoded:
        ++counts.records;
        break;
      case Outcome::kUnknown:
        ++counts.unknown_types;
        break;
      case Outcome::kMalformed:
        ++counts.malformed;
        break;
    }
    payload = payload.subspan(head.total_bytes);
  }
}

}  // namespace ringside::messages
