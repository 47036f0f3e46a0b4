#include "protocol/messages/field.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ringside::messages {
namespace {

// The shortest notation of a number: "1e6" for 1000000.
std::string bound_text(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  for (const std::string_view part : {"e+0", "e+"}) {
    if (const auto at = text.find(part); at != text.npos) text.replace(at, part.size(), "e");
  }
  return text;
}

}  // namespace

std::vector<std::string> words_of(const Field& field) {
  std::vector<std::string> words;
  for (std::string_view rest = field.words; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

bool has_range(const Field& field) { return field.least <= field.most && !std::isinf(field.most); }

std::string range_text(const Field& field) {
  return has_range(field) ? bound_text(field.least) + " to " + bound_text(field.most) : "";
}

std::string unset_text(const Field& field) {
  if (field.unset.empty()) return {};
  return (has_range(field) ? bound_text(field.least) : "empty") + ": " + std::string(field.unset);
}

}  // namespace ringside::messages
