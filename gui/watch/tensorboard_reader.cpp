#include "gui/watch/tensorboard_reader.h"

#include <bit>

#include "gui/export/tf_events.h"
#include "gui/watch/protobuf.h"

namespace ringside::watch {
namespace {

using Type = ProtoField::Type;

constexpr std::size_t kRecordHeadBytes = 12;  // u64 length, u32 checksum of it
constexpr std::size_t kEndBytes = 4;          // u32 checksum of the record

// DataType of tensorflow/core/framework/types.proto.
constexpr std::uint64_t kFloat = 1, kDouble = 2;

/// One element: no dimension, or each of length 1.
bool is_scalar(std::string_view shape) {
  ProtoReader dimensions(shape);
  for (ProtoField dimension; dimensions.next(dimension);) {
    if (!dimension.is(2, Type::kBytes)) continue;
    std::uint64_t length = 0;
    ProtoReader parts(dimension.bytes);
    for (ProtoField part; parts.next(part);) {
      if (part.is(1, Type::kVarint)) length = part.value;
    }
    if (length != 1) return false;
  }
  return dimensions.whole();
}

double float_of(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

/// Of a tensor that is one number; nothing for all others.
std::optional<double> tensor_number(std::string_view tensor) {
  std::uint64_t kind = 0;
  std::string_view content;
  std::optional<double> listed;
  ProtoReader reader(tensor);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kVarint)) kind = field.value;
    if (field.is(2, Type::kBytes) && !is_scalar(field.bytes)) return std::nullopt;
    if (field.is(4, Type::kBytes)) content = field.bytes;
    if (field.is(5, Type::kFixed32)) listed = float_of(field.value);
    if (field.is(5, Type::kBytes) && field.bytes.size() == 4)
      listed = float_of(fixed_of<std::uint32_t>(field.bytes));
    if (field.is(6, Type::kFixed64)) listed = std::bit_cast<double>(field.value);
    if (field.is(6, Type::kBytes) && field.bytes.size() == 8)
      listed = fixed_of<double>(field.bytes);
  }
  if (kind == kFloat && content.size() == 4) return float_of(fixed_of<std::uint32_t>(content));
  if (kind == kDouble && content.size() == 8) return fixed_of<double>(content);
  return kind == kFloat || kind == kDouble ? listed : std::nullopt;
}

/// Empty: all is well.
std::string read_value(std::string_view bytes, double wall_s, Step step, Findings& found) {
  std::string_view tag;
  std::optional<double> number;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kBytes)) tag = field.bytes;
    if (field.is(2, Type::kFixed32)) number = float_of(field.value);
    if (field.is(8, Type::kBytes)) number = tensor_number(field.bytes);
  }
  if (!reader.whole()) return "a value is not one of protocol buffers";
  if (tag.size() > kMaxNameBytes)
    return "a tag has " + std::to_string(tag.size()) + " bytes, above the limit of " +
           std::to_string(kMaxNameBytes);
  if (number) add_point(found, tag, step, *number, wall_s);
  return {};
}

std::string read_event(std::string_view bytes, Findings& found) {
  double wall_s = kNoTime;
  Step step = 0;
  std::string_view summary;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kFixed64)) wall_s = std::bit_cast<double>(field.value);
    if (field.is(2, Type::kVarint)) step = static_cast<Step>(field.value);
    if (field.is(5, Type::kBytes)) summary = field.bytes;
  }
  if (!reader.whole()) return "a record is not an event";
  ProtoReader values(summary);
  for (ProtoField value; values.next(value);) {
    if (!value.is(1, Type::kBytes)) continue;
    if (std::string problem = read_value(value.bytes, wall_s, step, found); !problem.empty())
      return problem;
  }
  return values.whole() ? std::string() : "a summary is not one of protocol buffers";
}

}  // namespace

Result<std::size_t> TensorBoardReader::take(std::string_view bytes, bool, Findings& found) {
  std::size_t used = 0;
  while (bytes.size() - used >= kRecordHeadBytes) {
    const std::string_view rest = bytes.substr(used);
    const std::uint64_t at = offset_ + used;
    const auto length = fixed_of<std::uint64_t>(rest);
    if (fixed_of<std::uint32_t>(rest.substr(8)) != exporting::masked_crc32c(rest.substr(0, 8))) {
      return damaged_at(at, at == 0 ? "this is not an event file of TensorBoard"
                                    : "the checksum of a record's length does not match");
    }
    if (length > kMaxRecordBytes)
      return damaged_at(at, "a record of " + std::to_string(length) + " bytes is above the limit");
    if (rest.size() < kRecordHeadBytes + length + kEndBytes) break;
    const std::string_view record = rest.substr(kRecordHeadBytes, length);
    if (fixed_of<std::uint32_t>(rest.substr(kRecordHeadBytes + length)) !=
        exporting::masked_crc32c(record))
      return damaged_at(at, "the checksum of a record does not match");
    if (const std::string problem = read_event(record, found); !problem.empty())
      return damaged_at(at, problem);
    used += kRecordHeadBytes + length + kEndBytes;
  }
  offset_ += used;
  return used;
}

}  // namespace ringside::watch
