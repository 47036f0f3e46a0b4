#include "gui/watch/tensorboard_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gui/export/tf_events.h"
#include "gui/watch/protobuf.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

using Type = ProtoField::Type;

/// Representation of a number in memory, and in tensor_content.
enum class Kind : std::uint8_t { kFloat, kBrain, kSigned, kUnsigned };
struct NumberType {
  std::uint64_t number;  ///< value of DataType
  Kind kind;
  std::size_t bytes;
  std::uint32_t field;  ///< field of TensorProto that lists such numbers, if they are not raw bytes
};
/// Sources: tensorflow/core/framework/tensor.proto and types.proto.
constexpr std::array kTypes{
    NumberType{1, Kind::kFloat, 4, 5},       // float
    NumberType{2, Kind::kFloat, 8, 6},       // double
    NumberType{3, Kind::kSigned, 4, 7},      // int32
    NumberType{4, Kind::kUnsigned, 1, 7},    // uint8
    NumberType{5, Kind::kSigned, 2, 7},      // int16
    NumberType{6, Kind::kSigned, 1, 7},      // int8
    NumberType{9, Kind::kSigned, 8, 10},     // int64
    NumberType{10, Kind::kUnsigned, 1, 11},  // bool
    NumberType{14, Kind::kBrain, 2, 13},     // bfloat16
    NumberType{17, Kind::kUnsigned, 2, 7},   // uint16
    NumberType{19, Kind::kFloat, 2, 13},     // half
    NumberType{22, Kind::kUnsigned, 4, 16},  // uint32
    NumberType{23, Kind::kUnsigned, 8, 17},  // uint64
};

/// Whether the shape is that of one element: no dimension, or each of length 1.
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

/// Converts IEEE 754 binary16.
double half_of(std::uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> 10U & 0x1FU);
  const auto fraction = static_cast<double>(bits & 0x3FFU);
  double value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? INFINITY : NAN;
  } else {
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

double number_of(const NumberType& type, std::uint64_t bits) {
  switch (type.kind) {
    case Kind::kBrain:
      return float_of((bits & 0xFFFFU) << 16U);
    case Kind::kFloat:
      if (type.bytes == 2) return half_of(bits);
      return type.bytes == 4 ? float_of(bits) : std::bit_cast<double>(bits);
    case Kind::kSigned: {
      const auto unused = static_cast<int>(64 - 8 * type.bytes);
      return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case Kind::kUnsigned:
      break;
  }
  return static_cast<double>(bits);
}

/// The bits of up to eight bytes, as they are in memory.
std::uint64_t bits_of(std::string_view bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

/// The first number of a list, which may be packed.
std::optional<std::uint64_t> first_of_list(const ProtoField& field, const NumberType& type) {
  if (field.type != Type::kBytes) return field.value;
  const bool fixed = type.field == 5 || type.field == 6;
  if (!fixed) {
    std::uint64_t value = 0;
    std::string_view rest = field.bytes;
    return take_varint(rest, value) && rest.empty() ? std::optional(value) : std::nullopt;
  }
  return field.bytes.size() == type.bytes ? std::optional(bits_of(field.bytes)) : std::nullopt;
}

/// The value of a tensor of any real type: floats of 16, 32 and 64 bits, bfloat16, integers and
/// booleans. Nothing for text, for complex numbers and for more than one element.
std::optional<double> tensor_number(std::string_view tensor) {
  const NumberType* type = nullptr;
  std::string_view content;
  std::optional<ProtoField> list;
  ProtoReader reader(tensor);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kVarint)) {
      const auto* const known = std::find_if(
          kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.number == field.value; });
      if (known == kTypes.end()) return std::nullopt;
      type = known;
    } else if (field.is(2, Type::kBytes)) {
      if (!is_scalar(field.bytes)) return std::nullopt;
    } else if (field.is(4, Type::kBytes)) {
      content = field.bytes;
    } else if (field.number >= 5) {
      list = field;
    }
  }
  if (type == nullptr || !reader.whole()) return std::nullopt;
  if (content.size() == type->bytes) return number_of(*type, bits_of(content));
  if (!content.empty()) return std::nullopt;
  if (!list) return 0;  // a value of 0 is omitted in the message
  if (list->number != type->field) return std::nullopt;
  const auto bits = first_of_list(*list, *type);
  return bits ? std::optional(number_of(*type, *bits)) : std::nullopt;
}

/// Sources: tensorboard/plugins/hparams/plugin_data.proto and api.proto.
constexpr std::uint32_t kStartInfo = 3;   // field of HParamsPluginData
constexpr std::uint32_t kParameters = 1;  // field of SessionStartInfo: a map
constexpr std::size_t kMostHparamsBytes = 4000;

/// The text of a google.protobuf.Value.
std::string value_text(std::string_view value) {
  ProtoReader reader(value);
  for (ProtoField field; reader.next(field);) {
    if (field.is(2, Type::kFixed64)) {
      std::array<char, 32> digits{};
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                     std::bit_cast<double>(field.value));
      return {digits.data(), end.ptr};
    }
    if (field.is(3, Type::kBytes)) return printable_line(field.bytes);
    if (field.is(4, Type::kVarint)) return field.value != 0 ? "true" : "false";
  }
  return "?";
}

void add_parameter(std::string& text, std::string_view entry) {
  std::string_view key;
  std::string_view value;
  ProtoReader reader(entry);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kBytes)) key = field.bytes;
    if (field.is(2, Type::kBytes)) value = field.bytes;
  }
  if (key.empty() || text.size() > kMostHparamsBytes) return;
  add_listed(text, printable_line(key) + "=" + value_text(value));
}

/// The plugin's settings in their order, "batch_size=32, lr=0.1"; empty: there are none.
std::string hparams_text(std::string_view plugin_content) {
  std::string text;
  ProtoReader reader(plugin_content);
  for (ProtoField field; reader.next(field);) {
    if (!field.is(kStartInfo, Type::kBytes)) continue;
    ProtoReader start(field.bytes);
    for (ProtoField part; start.next(part);) {
      if (part.is(kParameters, Type::kBytes)) add_parameter(text, part.bytes);
    }
  }
  return text;
}

constexpr std::size_t kRecordHeadBytes = 12;  // u64 length and its u32 checksum
constexpr std::size_t kEndBytes = 4;          // u32 checksum of the record
constexpr std::size_t kMostOtherTags = 100'000;

// Fields of Event, SessionLog, Summary.Value and SummaryMetadata.
constexpr std::uint32_t kSummary = 5, kSessionLog = 7;
constexpr std::uint32_t kSessionStatus = 1, kSessionStart = 1;
constexpr std::uint32_t kTag = 1, kSimple = 2, kOldHistogram = 3, kImage = 4, kHistogram = 5,
                        kAudio = 6, kNodeName = 7, kTensor = 8, kMetadata = 9;

bool has_head(std::string_view rest) {
  return fixed_of<std::uint32_t>(rest.substr(8)) == exporting::masked_crc32c(rest.substr(0, 8));
}

struct Plugin {
  std::string_view name;
  std::string_view content;
};

Plugin plugin_of(std::string_view metadata) {
  Plugin plugin;
  ProtoReader reader(metadata);
  for (ProtoField field; reader.next(field);) {
    if (!field.is(1, Type::kBytes)) continue;
    ProtoReader data(field.bytes);
    for (ProtoField part; data.next(part);) {
      if (part.is(1, Type::kBytes)) plugin.name = part.bytes;
      if (part.is(2, Type::kBytes)) plugin.content = part.bytes;
    }
  }
  return plugin;
}

bool begins_session(std::string_view session_log) {
  ProtoReader reader(session_log);
  for (ProtoField field; reader.next(field);) {
    if (field.is(kSessionStatus, Type::kVarint)) return field.value == kSessionStart;
  }
  return false;
}

const char* kind_of(std::uint32_t field) {
  if (field == kImage) return "an image is not a scalar";
  if (field == kAudio) return "a sound is not a scalar";
  if (field == kOldHistogram || field == kHistogram) return "a histogram is not a scalar";
  return "a tensor that is text or more than one number is not a scalar";
}

}  // namespace

bool begins_as_tensorboard(std::string_view bytes) {
  return bytes.size() >= kRecordHeadBytes && has_head(bytes);
}

std::string TensorBoardReader::foreign() const {
  return any_record_ || offset_ == 0 ? "" : "this is not an event file of TensorBoard";
}

void TensorBoardReader::damaged(std::string what, Findings& found) {
  if (!std::exchange(lost_, true))
    leave_out(found.left_out, {std::move(what), Place{"byte", offset_}.text()});
}

bool TensorBoardReader::read_value(std::string_view bytes, double wall_s, Step step,
                                   Findings& found) {
  std::string_view tag;
  std::string_view node;
  std::optional<double> number;
  std::uint32_t other = 0;
  Plugin plugin;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(kTag, Type::kBytes)) tag = field.bytes;
    if (field.is(kNodeName, Type::kBytes)) node = field.bytes;
    if (field.is(kMetadata, Type::kBytes)) plugin = plugin_of(field.bytes);
    if (field.is(kSimple, Type::kFixed32))
      number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
    if (field.is(kTensor, Type::kBytes)) number = tensor_number(field.bytes);
    if (field.number >= kOldHistogram && field.number <= kTensor && field.number != kNodeName)
      other = field.number;
  }
  if (!reader.whole()) return false;
  if (tag.empty()) tag = node;
  if (plugin.name == "hparams") {
    if (std::string text = hparams_text(plugin.content); !text.empty())
      found.settings = std::move(text);
    return true;
  }
  std::string name(tag);
  // A writer names the plugin only with the first value of a tag.
  const bool other_plugin = !plugin.name.empty() && plugin.name != "scalars";
  if (other_plugin && other_tags_.size() < kMostOtherTags) other_tags_.insert(name);
  if (!number || other_plugin || other_tags_.contains(name)) {
    if (other == 0) return true;
    leave_out(
        found.left_out,
        {kind_of(other), Place{"byte", offset_}.text() + ", " + printable_line(tag), 1, true});
    return true;
  }
  add_point(found, {std::move(name), step, *number, wall_s, kNoRank}, {"byte", offset_});
  return true;
}

void TensorBoardReader::read_event(std::string_view bytes, Findings& found) {
  double wall_s = kNoTime;
  Step step = 0;
  std::string_view summary;
  bool restart = false;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.is(1, Type::kFixed64)) wall_s = std::bit_cast<double>(field.value);
    if (field.is(2, Type::kVarint)) step = static_cast<Step>(field.value);
    if (field.is(kSummary, Type::kBytes)) summary = field.bytes;
    if (field.is(kSessionLog, Type::kBytes)) restart = begins_session(field.bytes);
  }
  bool whole = reader.whole();
  if (whole && restart) found.restarts.push_back({found.points.size(), step});
  ProtoReader values(summary);
  for (ProtoField value; whole && values.next(value);) {
    if (value.is(1, Type::kBytes)) whole = read_value(value.bytes, wall_s, step, found);
  }
  if (!whole || !values.whole())
    leave_out(found.left_out,
              {"a record is not an event of TensorBoard", Place{"byte", offset_}.text()});
}

/// Number of bytes until a record may begin; all but the last bytes if there is none in `rest`.
std::size_t TensorBoardReader::skip_to_record(std::string_view rest, bool at_end) const {
  std::size_t skipped = 1;
  for (; rest.size() - skipped >= kRecordHeadBytes; ++skipped) {
    const std::string_view here = rest.substr(skipped);
    if (has_head(here) && fixed_of<std::uint64_t>(here) <= kMaxRecordBytes) return skipped;
  }
  return at_end ? rest.size() : skipped;
}

std::size_t TensorBoardReader::take_record(std::string_view rest, bool at_end, Findings& found) {
  if (rest.size() < kRecordHeadBytes) {
    if (!at_end) return 0;
    damaged("the last record is not whole", found);
    return rest.size();
  }
  if (!has_head(rest)) {
    damaged(offset_ == 0 ? "the file does not begin with a record of TensorBoard"
                         : "a record is damaged: the checksum of its length does not match",
            found);
    return skip_to_record(rest, at_end);
  }
  const auto length = fixed_of<std::uint64_t>(rest);
  if (length > kMaxRecordBytes) {
    leave_out(found.left_out,
              {"a record is above the limit of " + std::to_string(kMaxRecordBytes >> 20U) + " MiB",
               Place{"byte", offset_}.text()});
    any_record_ = true;
    skipped_ = length > std::numeric_limits<std::uint64_t>::max() / 2 ? length : length + kEndBytes;
    return kRecordHeadBytes;
  }
  const std::size_t size = kRecordHeadBytes + length + kEndBytes;
  if (rest.size() < size) {
    if (!at_end) return 0;
    damaged("the last record is not whole", found);
    return skip_to_record(rest, at_end);
  }
  const std::string_view record = rest.substr(kRecordHeadBytes, length);
  if (fixed_of<std::uint32_t>(rest.substr(size - kEndBytes)) != exporting::masked_crc32c(record)) {
    damaged("a record is damaged: its checksum does not match", found);
    // The record's length is not trusted: a truncated record may be followed by the next one.
    return skip_to_record(rest, at_end);
  }
  any_record_ = true;
  lost_ = false;
  read_event(record, found);
  return size;
}

std::size_t TensorBoardReader::take(std::string_view bytes, bool at_end, Findings& found) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    const std::size_t skipped = std::min<std::uint64_t>(skipped_, rest.size());
    skipped_ -= skipped;
    const std::size_t taken = skipped > 0 ? skipped : take_record(rest, at_end, found);
    if (taken == 0) break;
    used += taken;
    offset_ += taken;
  }
  return used;
}

}  // namespace ringside::watch
