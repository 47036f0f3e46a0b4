#include "gui/cli/command/complete.h"

#include <algorithm>

#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

/// Splits the line; the last word is the one that is being typed, and may be empty.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c != ' ' && c != '\t') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// "-h" and "--help" for "-h,--help"; empty for a positional argument.
std::vector<std::string_view> names_of(const DescribedOption& option) {
  return option.named ? parts_of(option.names, ',') : std::vector<std::string_view>();
}

const DescribedOption* find_option(const DescribedCommand& command, const std::string& name) {
  const auto found = std::ranges::find_if(command.options, [&](const DescribedOption& option) {
    const auto names = names_of(option);
    return std::ranges::find(names, name) != names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> completions(std::string_view line, const DescribedCommands& commands,
                                     const KnownValues& values) {
  const auto words = words_of(line);
  if (words.size() < 2) return {};
  const std::string& typed = words.back();
  auto command = commands.find("");
  const DescribedOption* before = nullptr;  // the option whose value comes next
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] == "--") return {};
    const bool is_value = before != nullptr;
    before = is_value ? nullptr : find_option(command->second, words[i]);
    if (before != nullptr && before->value.empty()) before = nullptr;
    const bool names_command = !is_value && command->first.empty() && commands.contains(words[i]);
    if (names_command) command = commands.find(words[i]);
  }
  std::vector<std::string> found;
  if (before != nullptr) {
    found = values(before->value);
  } else if (typed.starts_with('-')) {
    for (const DescribedOption& option : command->second.options) {
      const auto names = names_of(option);
      found.insert(found.end(), names.begin(), names.end());
    }
  } else if (command->first.empty()) {
    for (const auto& [name, ignored] : commands) found.push_back(name);
  } else {
    for (const DescribedOption& option : command->second.options) {
      const auto some = option.named ? std::vector<std::string>() : values(option.names);
      found.insert(found.end(), some.begin(), some.end());
    }
  }
  std::erase_if(found, [&](const auto& one) { return one.empty() || !one.starts_with(typed); });
  return found;
}

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash")
    return R"sh(_ringside() {
  local IFS=$'\n'
  COMPREPLY=($(ringside completion --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _ringside ringside
)sh";
  if (shell == "zsh")
    return R"sh(#compdef ringside
_ringside() {
  local -a found
  found=(${(f)"$(ringside completion --line "$LBUFFER" 2>/dev/null)"})
  (( $#found )) || { _files; return }
  compadd -S '' -- ${(M)found:#*=}
  compadd -- ${found:#*=}
}
if [ "$funcstack[1]" = "_ringside" ]; then _ringside; else compdef _ringside ringside; fi
)sh";
  if (shell == "fish")
    return R"sh(complete -c ringside -a '(ringside completion --line (commandline -cp) 2>/dev/null)'
)sh";
  return {};
}

}  // namespace ringside::cli
