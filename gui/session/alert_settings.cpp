#include "gui/session/alert_settings.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <system_error>
#include <utility>

#include "protocol/base/byte_file.h"
#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/base/user_folders.h"

namespace ringside::session {
namespace {

using analysis::AlertRule;
using analysis::kAlertRules;

constexpr double kShortestS = 0.1;
constexpr double kLongestS = 600;

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kAlertRules; ++i)
    names.emplace_back(analysis::name_of(static_cast<AlertRule>(i)));
  return names;
}

Result<std::vector<std::string>> texts_of(const toml::node& node, const std::string& what) {
  std::vector<std::string> texts;
  const toml::array* list = node.as_array();
  if (list == nullptr) return bad_request(what + " has to be a list of texts");
  for (const toml::node& item : *list) {
    const auto text = item.value<std::string>();
    if (!text || text->find('\0') != std::string::npos)
      return bad_request(what + " has to be a list of texts");
    texts.push_back(*text);
  }
  return texts;
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_string(text);
  return "[" + list + "]";
}

Result<void> take_rules(const toml::node& node, AlertSettings& settings) {
  const auto texts = texts_of(node, "off");
  if (!texts) return pass(texts);
  const auto names = rule_names();
  for (const std::string& text : *texts) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
      return bad_request("off names \"" + text + "\", which is no rule" + suggestion(text, names));
    settings.off.set(static_cast<std::size_t>(found - names.begin()));
  }
  return {};
}

Result<void> take(const std::string& key, const toml::node& node, AlertSettings& settings) {
  static const std::vector<std::string> kKeys{"notify", "command", "limit_s", "off"};
  if (key == "off") return take_rules(node, settings);
  if (key == "notify") {
    if (!node.is_boolean()) return bad_request("notify has to be true or false");
    settings.notify = node.value_or(false);
    return {};
  }
  if (key == "command") {
    auto words = texts_of(node, "command");
    if (!words) return pass(words);
    settings.command = std::move(*words);
    return {};
  }
  if (key == "limit_s") {
    const double limit = node.value_or(-1.0);
    if (!(limit >= kShortestS && limit <= kLongestS))
      return bad_request(fmt::format("limit_s has to lie from {} to {}", kShortestS, kLongestS));
    settings.limit_s = limit;
    return {};
  }
  return bad_request("there is no setting \"" + key + "\"" + suggestion(key, kKeys));
}

}  // namespace

std::filesystem::path alert_settings_path() {
  const auto folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder ? *folder / "ringside" / "alerts.toml" : std::filesystem::path();
}

Result<AlertSettings> read_alert_settings(const std::filesystem::path& path) {
  std::error_code missing;
  if (path.empty() || !std::filesystem::exists(path, missing)) return AlertSettings{};
  const auto text = read_text(path, 64 * 1024);
  if (!text) return pass(text);
  const std::string where = "The alert settings in " + path.string() + " cannot be used: ";
  AlertSettings settings;
  try {
    const toml::table table = toml::parse(*text);
    for (const auto& [key, node] : table) {
      if (const auto fine = take(std::string(key.str()), node, settings); !fine)
        return bad_request(where + fine.error().message);
    }
  } catch (const toml::parse_error& error) {
    return bad_request(
        fmt::format("{}line {}: {}", where, error.source().begin.line, error.description()));
  }
  return settings;
}

Result<void> write_alert_settings(const std::filesystem::path& path,
                                  const AlertSettings& settings) {
  if (path.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return failure(fmt::format("The folder {} for the alert settings could not be made: {}.",
                               path.parent_path().string(), error.message()));
  }
  std::vector<std::string> off;
  for (std::size_t i = 0; i < kAlertRules; ++i) {
    if (settings.off.test(i)) off.emplace_back(analysis::name_of(static_cast<AlertRule>(i)));
  }
  return write_text_atomically(
      path,
      fmt::format("# How Ringside tells alerts; the README says more.\nnotify = {}\n"
                  "command = {}\nlimit_s = {}\noff = {}\n",
                  settings.notify, toml_list(settings.command), settings.limit_s, toml_list(off)));
}

Result<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool begun = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes =
        c == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (escapes) {
      word += text[++i];
      begun = true;
    } else if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (quoted) return bad_request("a quote is not closed");
  if (begun) words.push_back(word);
  return words;
}

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \"\\") == std::string::npos;
    if (plain) {
      text += word;
      continue;
    }
    text += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

}  // namespace ringside::session
