// Reads event files back, for tests: written from the format's description, not from our encoder.
// Fails the test at the first unexpected byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gui/export/tf_events.h"
#include "tests/support/catch.h"

namespace ringside::tests {

struct ReadValue {
  double wall_time_s = 0;
  std::int64_t step = 0;
  float value = 0;
};
/// Values by tag, in the order of the file.
using ReadEvents = std::map<std::string, std::vector<ReadValue>>;

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}
  bool more() const { return !bytes_.empty(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    FAIL("a varint without an end");
    return 0;
  }
  template <class T>
  T fixed() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view bytes() { return take(varint()); }
  std::string_view take(std::size_t count) {
    REQUIRE(count <= bytes_.size());
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view bytes_;
};

inline void read_summary(MessageReader summary, double wall_time_s, std::int64_t step,
                         ReadEvents& events) {
  while (summary.more()) {
    REQUIRE(summary.varint() == (1U << 3 | 2U));  // Summary.value
    MessageReader value(summary.bytes());
    REQUIRE(value.varint() == (1U << 3 | 2U));  // tag
    const std::string tag(value.bytes());
    REQUIRE(value.varint() == (2U << 3 | 5U));  // simple_value
    events[tag].push_back({wall_time_s, step, value.fixed<float>()});
    REQUIRE(!value.more());
  }
}

inline ReadEvents read_events(std::string_view file) {
  ReadEvents events;
  MessageReader records(file);
  bool first = true;
  while (records.more()) {
    const std::string_view length = records.take(8);
    REQUIRE(records.fixed<std::uint32_t>() == exporting::masked_crc32c(length));
    const std::string_view payload = records.take(MessageReader(length).fixed<std::uint64_t>());
    REQUIRE(records.fixed<std::uint32_t>() == exporting::masked_crc32c(payload));
    MessageReader event(payload);
    REQUIRE(event.varint() == (1U << 3 | 1U));
    const auto wall_time_s = event.fixed<double>();
    if (first) {
      REQUIRE(event.varint() == (3U << 3 | 2U));
      REQUIRE(event.bytes() == "brain.Event:2");
    } else {
      REQUIRE(event.varint() == (2U << 3 | 0U));
      const auto step = static_cast<std::int64_t>(event.varint());
      REQUIRE(event.varint() == (5U << 3 | 2U));
      read_summary(MessageReader(event.bytes()), wall_time_s, step, events);
    }
    REQUIRE(!event.more());
    first = false;
  }
  return events;
}

}  // namespace ringside::tests
