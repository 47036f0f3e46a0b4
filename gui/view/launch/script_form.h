// The settings of the next run of a custom program while a person edits them: the command as typed,
// what each rank will run, and what is wrong with each field. A value; changed by its own functions
// only, from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/launch/launchers/accelerate.h"
#include "gui/view/launch/launch_form.h"

namespace ringside::view {

/// Keys of the fields that only this form has, for EditField; any other key is that of a setting.
namespace script_key {
inline constexpr const char* kProgram = "script.program";
inline constexpr const char* kArguments = "script.arguments";
inline constexpr const char* kFolder = "script.folder";
/// "script.environment.0.name", "script.environment.0.value"
std::string variable_name(std::size_t row);
std::string variable_value(std::size_t row);
}  // namespace script_key

/// A row of the environment as typed.
struct Variable {
  std::string name;
  std::string value;
  bool operator==(const Variable&) const = default;
};

class ScriptForm {
 public:
  ScriptForm();
  /// The form from which these settings of a custom program result.
  explicit ScriptForm(const messages::RunSpec& spec);

  /// Sets the field of that key to the typed text. The environment has one row more than
  /// variables(): typing into that row adds a variable.
  void edit(const std::string& key, const std::string& text);
  /// Makes a file from a dialog or the file manager the program, run in its own folder.
  void choose(const std::string& path);
  void remove_variable(std::size_t row);
  /// Restores the initial state of the form.
  void reset();

  /// All settings except the command: devices, restarts, baseline, name. Their spec includes the
  /// program.
  LaunchForm& settings() { return settings_; }
  const LaunchForm& settings() const { return settings_; }
  /// The settings of the run, with the script's name if none is typed.
  messages::RunSpec spec() const;
  const std::string& automatic_name() const { return automatic_name_; }

  std::string text(const std::string& key) const;
  /// The problem with the text of a field; empty: none.
  std::string error(const std::string& key) const;
  const std::vector<Variable>& variables() const { return variables_; }
  /// The command line of each rank; empty while it is unknown.
  const std::vector<std::string>& argv() const { return settings_.spec().program.argv; }
  /// The folder in which it runs if none is typed; empty: the working directory of Ringside.
  const std::string& default_folder() const { return default_folder_; }
  /// How the options of a launcher such as torchrun were applied, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The number of ranks in the launcher's own options.
  std::optional<std::int64_t> launcher_ranks() const { return ranks_; }
  /// The question for the person's installation of Accelerate, if our tables do not cover its
  /// options; nothing: all is known. The run cannot be launched until it is answered.
  const std::optional<launch::AccelerateQuestion>& question() const { return question_; }
  void take_answer(launch::AccelerateQuestion question, Result<launch::AccelerateAnswer> answer);
  /// Why the run cannot be launched yet; empty: it can.
  std::string missing() const;

 private:
  void take_words(std::vector<std::string> words, const std::string& folder);
  void edit_variable(const std::string& key, const std::string& text);
  /// Builds the program of the settings from the typed text.
  void compose();
  std::vector<std::string> environment();
  /// Applies the options of the launcher and the interpreter.
  void understand(const std::vector<std::string>& arguments, messages::ProgramSpec& program);
  void refuse(const std::string& problem);

  LaunchForm settings_;
  std::string program_;
  std::string arguments_;
  std::string folder_;
  std::vector<Variable> variables_;
  std::string automatic_name_;
  std::string default_folder_;
  std::vector<std::string> notes_;
  std::optional<std::int64_t> ranks_;
  std::optional<std::int64_t> restarts_;       ///< from the launcher's options
  std::map<std::string, std::string> errors_;  ///< by key
  std::optional<launch::AccelerateQuestion> question_;
  std::optional<std::pair<launch::AccelerateQuestion, Result<launch::AccelerateAnswer>>> answer_;
};

}  // namespace ringside::view
