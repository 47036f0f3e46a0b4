#include "gui/watch/protobuf.h"

namespace ringside::watch {

bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool ProtoReader::take_fixed(std::size_t size, std::uint64_t& value) {
  if (rest_.size() < size) return false;
  value = size == 8 ? fixed_of<std::uint64_t>(rest_) : fixed_of<std::uint32_t>(rest_);
  rest_.remove_prefix(size);
  return true;
}

bool ProtoReader::next(ProtoField& field) {
  if (rest_.empty() || !whole_) return false;
  std::uint64_t key = 0;
  whole_ = take_varint(rest_, key) && key >> 3U > 0 && key >> 3U <= 0x1FFFFFFFU;
  if (!whole_) return false;
  field = {};
  field.number = static_cast<std::uint32_t>(key >> 3U);
  field.type = static_cast<ProtoField::Type>(key & 7U);
  switch (field.type) {
    case ProtoField::Type::kVarint:
      whole_ = take_varint(rest_, field.value);
      break;
    case ProtoField::Type::kFixed64:
      whole_ = take_fixed(8, field.value);
      break;
    case ProtoField::Type::kFixed32:
      whole_ = take_fixed(4, field.value);
      break;
    case ProtoField::Type::kBytes: {
      std::uint64_t length = 0;
      whole_ = take_varint(rest_, length) && length <= rest_.size();
      if (!whole_) break;
      field.bytes = rest_.substr(0, length);
      rest_.remove_prefix(length);
      break;
    }
    default:
      whole_ = false;  // groups are obsolete
  }
  return whole_;
}

}  // namespace ringside::watch
