#include "gui/session/alerts/alert_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "protocol/base/nearest.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::session {
namespace {

using analysis::kAlertRuleInfos;

constexpr double kShortestS = 0.1;
constexpr double kLongestS = 600;

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const auto& info : kAlertRuleInfos) names.emplace_back(info.name);
  return names;
}

/// The content of the file, which lists rules by name.
struct AlertFile {
  AlertSettings settings;
  std::vector<std::string> off;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("notify", s.settings.notify);
    visit("command", s.settings.command);
    visit("limit_s", s.settings.limit_s);
    visit("off", s.off);
  }
};

/// Reads the rules by name and checks ranges; returns the problem, or empty if there is none.
std::string take_rules(AlertFile& file) {
  const auto names = rule_names();
  for (const std::string& text : file.off) {
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      return "off names \"" + text + "\", which is not a rule" + suggestion(text, names);
    file.settings.off.set(static_cast<std::size_t>(found - names.begin()));
  }
  if (!(file.settings.limit_s >= kShortestS && file.settings.limit_s <= kLongestS))
    return fmt::format("limit_s = {} is out of range; use {} to {}", file.settings.limit_s,
                       kShortestS, kLongestS);
  const auto& command = file.settings.command;
  const bool ends_early = std::ranges::any_of(
      command, [](const std::string& word) { return word.find('\0') != std::string::npos; });
  return ends_early ? "command must be a list of strings without the character 0" : "";
}

}  // namespace

std::filesystem::path alert_settings_path() {
  const auto folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder ? *folder / "ringside" / "alerts.toml" : std::filesystem::path();
}

Result<AlertSettings> read_alert_settings(const std::filesystem::path& path) {
  std::error_code missing;
  if (path.empty() || !std::filesystem::exists(path, missing)) return AlertSettings{};
  const auto text = RINGSIDE_TRY(read_text(path, 64 * 1024));
  const std::string where = "The alert settings cannot be used: ";
  AlertFile file;
  if (const auto read = messages::read_toml(text, path.string(), file); !read)
    return bad_request(where + read.error().message);
  if (const std::string why = take_rules(file); !why.empty())
    return bad_request(where + path.string() + ": " + why);
  return file.settings;
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
  AlertFile file{settings, {}};
  for (const auto& info : kAlertRuleInfos) {
    if (settings.off.test(static_cast<std::size_t>(info.rule))) file.off.emplace_back(info.name);
  }
  return write_text_atomically(path, "# How Ringside sends alerts; see `ringside help alerts`.\n" +
                                         messages::write_toml(file));
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
