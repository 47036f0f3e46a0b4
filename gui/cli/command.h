// A command of `ringside` while its options are declared. Hides CLI11, whose headers cost seconds
// in every file that includes them. Main thread; a Command and its options live until the command
// line is parsed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ringside::cli {

/// What a command does: its exit code, or the error that main reports.
using Action = std::function<Result<int>()>;

/// One declared option; each call returns it, so that they can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  /// What stands behind it in the help: "DIR"; empty: nothing.
  Option& type(const std::string& name);
  Option& required();
  /// Bad request outside of least .. most.
  Option& range(int least, int most);
  /// An empty value is a bad request; `wanted`: what to write.
  Option& not_empty(const std::string& wanted);
  /// Bad request where this says what is wrong with the value; empty: nothing.
  Option& valid(std::function<std::string(const std::string&)> problem);
  /// Given several times it takes one value each time.
  Option& repeatable();
  Option& excludes(const Option& other);
  Option& needs(const Option& other);

 private:
  CLI::Option* option_;
};

/// An option, or a word without a name, as --help has it.
struct DescribedOption {
  std::string names;  ///< "-h,--help"; of a word without a name that of its value: "RUN"
  std::string value;  ///< what stands behind it: "DIR"; empty: nothing, or it has no name
  std::string help;
  bool named = false;
};

/// A command of `ringside`, or `ringside` itself.
struct DescribedCommand {
  std::string description;
  std::string help;  ///< all that --help says
  std::vector<DescribedOption> options;
};

/// By name; that of `ringside` itself is empty.
using DescribedCommands = std::map<std::string, DescribedCommand>;

/// The commands that take the words after `--`, and where each stores them.
using Rests = std::vector<std::pair<const CLI::App*, std::vector<std::string>*>>;

class Command {
 public:
  /// `typed`: all words of the command line behind `ringside`.
  Command(CLI::App& app, Action& action, Rests& rests, const std::vector<std::string>& typed)
      : app_(&app), action_(&action), rests_(&rests), typed_(&typed) {}

  Command add_command(const std::string& name, const std::string& description);
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, int& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::string>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& values,
                    const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// An option that was declared already.
  Option option(const std::string& name);
  /// What was given for an option of `ringside` itself, before the name of the command; empty:
  /// nothing.
  std::string given_before(const std::string& name) const;
  /// Sets the text below the list of options.
  void footer(const std::string& text);
  /// Runs when all options were read, before any command begins; its text ends the program as a bad
  /// request, empty: all is well.
  void check(const std::string& what, std::function<std::string()> problem);
  /// Stores all words after the first `--` in `words`, unchanged.
  void rest_behind_dashes(std::vector<std::string>& words);
  /// What main runs when this command was given.
  void action(Action action);
  /// An action that also wants all words of the command line behind `ringside`.
  void action_with_words(std::function<Result<int>(const std::vector<std::string>&)> action);
  /// An action that also wants what --help says of each command of `ringside`.
  void action_with_commands(std::function<Result<int>(const DescribedCommands&)> action);
  /// All that follows goes to another program as it is, --help included.
  void action_with_rest(std::function<Result<int>(const std::vector<std::string>&)> action);

 private:
  CLI::App* app_;
  Action* action_;
  Rests* rests_;
  const std::vector<std::string>* typed_;
};

/// Reads the command line of `ringside`, whose options and commands `declare` adds. Either nothing
/// is left to do (help, version, a bad request: the exit code) or `action` is what was asked for,
/// empty for none.
std::optional<int> parse(int argc, char** argv, const std::function<void(Command&)>& declare,
                         Action& action);

}  // namespace ringside::cli
