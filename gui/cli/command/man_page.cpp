#include "gui/cli/command/man_page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

/// Escapes the text, so that it contains no macros and its dashes can be copied.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else {
      result += c == '-' ? "\\-" : std::string(1, c);
    }
  }
  return result;
}

std::string options_of(const DescribedCommand& command) {
  std::string text;
  for (const DescribedOption& option : command.options) {
    const std::string value = option.named && !option.value.empty()
                                  ? " \\fI" + escaped(option.value) + "\\fR"
                                  : std::string();
    text += ".TP\n" + std::string(option.named ? "\\fB" : "\\fI") + escaped(option.names) + "\\fR" +
            value + "\n" + escaped(option.help) + "\n";
  }
  return text;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

/// `about` must be escaped already.
std::string head_of(std::string_view program, const std::string& about) {
  return ".TH " + escaped(upper_case(program)) +
         " 1 \"\" \"ringside " RINGSIDE_VERSION
         "\" \"User Commands\"\n"
         ".SH NAME\n" +
         escaped(program) + " \\- " + about + "\n.SH SYNOPSIS\n.B " + escaped(program) + "\n";
}

constexpr std::size_t kTextColumn = 30;  // column in --help where the text about an option begins

bool goes_on(std::string_view line) {
  return line.size() > kTextColumn && line.find_first_not_of(' ') == kTextColumn;
}

/// One paragraph for each option of a section, or for its text if it lists no options.
std::string section_page(const std::vector<std::string_view>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (line.empty()) continue;
    if (line.starts_with("  ") && !goes_on(line)) {
      const bool alone = i + 1 < lines.size() && goes_on(lines[i + 1]);
      const std::size_t end = alone ? line.size() : std::min(line.size(), kTextColumn);
      text += ".TP\n\\fB" + escaped(trimmed(line.substr(0, end))) + "\\fR\n";
      line.remove_prefix(end);
    } else if (!line.starts_with(' ')) {
      text += ".PP\n";
    }
    if (const auto words = trimmed(line); !words.empty()) text += escaped(words) + "\n";
  }
  return text;
}

}  // namespace

std::string man_page(const DescribedCommands& commands) {
  std::string text =
      head_of("ringside", "start data\\-parallel training and see what every rank does") +
      "[\\fICOMMAND\\fR [\\fIOPTIONS\\fR]]\n"
      ".SH DESCRIPTION\n" +
      escaped(commands.at("").description) +
      "\nWithout a command the window opens. `ringside help` has the manual.\n.SH OPTIONS\n" +
      options_of(commands.at("")) + ".SH COMMANDS\n";
  for (const auto& [name, command] : commands) {
    if (name.empty()) continue;
    text += ".SS ringside " + escaped(name) + "\n" + escaped(command.description) + "\n" +
            options_of(command);
  }
  return text +
         ".SH EXIT STATUS\n0: done. 1: the run failed, or the output could not be written. 2: the "
         "request was wrong.\n128 + n: ended by signal n.\n";
}

std::string man_page_of(std::string_view program, std::string_view help) {
  const std::string_view about = help.substr(0, help.find('\n'));
  const std::string_view first = about.substr(0, about.find(". "));
  std::string text;
  std::vector<std::string_view> section;
  const auto end_section = [&] { text += section_page(std::exchange(section, {})); };
  for (const std::string_view line : lines_of(help.substr(about.size()))) {
    if (line.starts_with("Usage: ")) {
      const std::size_t options = line.find(" [");
      text += (options == line.npos ? "" : escaped(line.substr(options + 1)) + "\n") +
              ".SH DESCRIPTION\n" + escaped(about) + "\n";
    } else if (line.ends_with(':') && !line.starts_with(' ')) {
      end_section();
      text += ".SH " + upper_case(line.substr(0, line.size() - 1)) + "\n";
    } else {
      section.push_back(line);
    }
  }
  end_section();
  return head_of(program, escaped(first.substr(0, first.size() - first.ends_with('.')))) + text +
         ".SH SEE ALSO\n.BR ringside (1)\n";
}

}  // namespace ringside::cli
