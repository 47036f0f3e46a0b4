#include "gui/cli/print/man_page.h"

#include <string_view>

namespace ringside::cli {
namespace {

/// Text that no macro is seen in, with the dashes of options as they are typed.
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

}  // namespace

std::string man_page(const DescribedCommands& commands) {
  std::string text =
      ".TH RINGSIDE 1 \"\" \"ringside " RINGSIDE_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nringside \\- start data\\-parallel training and see what every rank does\n"
      ".SH SYNOPSIS\n.B ringside\n[\\fICOMMAND\\fR [\\fIOPTIONS\\fR]]\n"
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

}  // namespace ringside::cli
