// A sink that stores all records, and comparison of records field by field. Used by one thread.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "protocol/messages/codec.h"
#include "protocol/messages/records.h"

namespace ringside::support {

class RecordList final : public messages::RecordSink {
 public:
  struct Entry {
    messages::Stamp stamp;
    messages::Record record;
  };
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    entries.push_back({stamp, record});
  }
  template <class Body>
  const Body& body(std::size_t i) const {
    return std::get<Body>(entries.at(i).record);
  }
  std::vector<Entry> entries;
};

/// Whether type and bytes of every field are equal, so that NaN equals NaN.
inline bool same_record(const messages::Record& a, const messages::Record& b) {
  std::vector<std::byte> left;
  std::vector<std::byte> right;
  messages::append_any_record(left, {}, a);
  messages::append_any_record(right, {}, b);
  return left == right;
}

}  // namespace ringside::support
