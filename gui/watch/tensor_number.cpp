#include "gui/watch/tensor_number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "gui/watch/protobuf.h"

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

}  // namespace

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

}  // namespace ringside::watch
