#include "protocol/messages/spec/toml_fields.h"

namespace ringside::messages {

Result<void> TomlReader::finish() {
  if (!result_ || mode_ == TomlMode::kLenient) return result_;
  for (const auto& [key, value] : table_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    refuse(value, "unknown key " + full_name(key) + suggestion(key, known_));
    break;
  }
  return result_;
}

void TomlReader::check_word(const TomlValue& node, const Field& field, const std::string& value) {
  const std::vector<std::string> allowed = words_of(field);
  if (!result_ || allowed.empty()) return;
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  refuse(node, "unknown value " + full_name(field.key) + " = \"" + value + "\"" +
                   suggestion(value, allowed));
}

void TomlReader::refuse_type(const TomlValue& node, const std::string& name,
                             const std::string& type) {
  refuse(node, name + " = " + toml_text(node) + " must be " + type +
                   (range_.empty() ? "" : " from " + range_));
}

void TomlReader::refuse(const TomlValue& node, const std::string& why) {
  if (!result_ || mode_ == TomlMode::kLenient) return;
  const std::string line = node.line > 0 ? ":" + std::to_string(node.line) : "";
  result_ = bad_request(std::string(origin_) + line + ": " + why);
}

}  // namespace ringside::messages
