#include "gui/watch/hparams.h"

#include <array>
#include <bit>
#include <charconv>

#include "gui/watch/protobuf.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

using Type = ProtoField::Type;

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

}  // namespace

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

}  // namespace ringside::watch
