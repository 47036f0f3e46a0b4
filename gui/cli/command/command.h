// Declares a command of `ringside` with its options. Hides CLI11, whose headers cost seconds in
// every file that includes them. Main thread; a Command and its options live until the command line
// is parsed.
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

/// Runs a command: returns its exit code, or the error that main reports.
using Action = std::function<Result<int>()>;

/// One declared option; each call returns it for chaining.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  /// A value outside of least .. most is a bad request.
  Option& range(int least, int most);
  /// An empty value is a bad request; `wanted`: what to write instead.
  Option& not_empty(const std::string& wanted);
  /// A value for which `problem` returns a text is a bad request.
  Option& valid(std::function<std::string(const std::string&)> problem);
  /// The option may be repeated, with one value each time.
  Option& repeatable();
  Option& excludes(const Option& other);
  Option& needs(const Option& other);

 private:
  CLI::Option* option_;
};

/// An option, or a positional argument, as in --help.
struct DescribedOption {
  std::string names;  ///< "-h,--help"; for a positional argument the name of its value: "RUN"
  std::string value;  ///< name of its value: "DIR"; empty: it has none, or is positional
  std::string help;
  bool named = false;
};

/// A command of `ringside`, or `ringside` itself.
struct DescribedCommand {
  std::string description;
  std::string help;  ///< the whole text of --help
  std::vector<DescribedOption> options;
};

/// Commands by name; the name of `ringside` itself is empty.
using DescribedCommands = std::map<std::string, DescribedCommand>;

/// The commands that take the words after `--`, and the vectors that store them.
using Rests = std::vector<std::pair<const CLI::App*, std::vector<std::string>*>>;

class Command {
 public:
  /// `typed`: all words of the command line after `ringside`.
  Command(CLI::App& app, Action& action, Rests& rests, const std::vector<std::string>& typed)
      : app_(&app), action_(&action), rests_(&rests), typed_(&typed) {}

  Command add_command(const std::string& name, const std::string& description);
  /// Declares an option with the name of its value, "--to DIR", or a positional argument, "RUN".
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, int& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::string>& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& values,
                    const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// An option that was already declared.
  Option option(const std::string& name);
  /// The value given for an option of `ringside` itself, before the name of the command; empty:
  /// none.
  std::string given_before(const std::string& name) const;
  /// Sets the text below the list of options.
  void footer(const std::string& text);
  /// Adds a check that is called after all options were read and before any command begins. A text
  /// ends the program as a bad request; empty: no problem.
  void check(const std::string& what, std::function<std::string()> problem);
  /// Stores all words after the first `--` in `words`, unchanged.
  void rest_behind_dashes(std::vector<std::string>& words);
  /// Sets what main runs if this command was given.
  void action(Action action);
  /// Sets an action that also gets all words of the command line after `ringside`.
  void action_with_words(std::function<Result<int>(const std::vector<std::string>&)> action);
  /// Sets an action that also gets the help of each command of `ringside`.
  void action_with_commands(std::function<Result<int>(const DescribedCommands&)> action);
  /// Sets an action that passes all following words, --help included, to another program.
  void action_with_rest(std::function<Result<int>(const std::vector<std::string>&)> action);

 private:
  CLI::App* app_;
  Action* action_;
  Rests* rests_;
  const std::vector<std::string>* typed_;
};

/// Parses the command line of `ringside`, whose options and commands `declare` adds. Returns the
/// exit code if nothing is left to do (help, version, a bad request); otherwise sets `action` to
/// the requested one, empty if there is none.
std::optional<int> parse(int argc, char** argv, const std::function<void(Command&)>& declare,
                         Action& action);

}  // namespace ringside::cli
