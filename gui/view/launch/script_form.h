// The settings of the next run of a person's own program while they are edited: the command as it
// is typed, what each rank will run, and what is wrong with each field. A value; changed by its own
// functions only, from one thread.
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

/// Keys of what only this form has, for EditField; any other key is that of a setting.
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
  /// Nothing is chosen yet.
  ScriptForm();
  /// The form that these settings of such a program come from.
  explicit ScriptForm(const messages::RunSpec& spec);

  /// Takes what was typed into the field of that key. The environment has a row more than
  /// variables(): typing into that one adds it.
  void edit(const std::string& key, const std::string& text);
  /// A file from a dialog or the file manager becomes the program, in its own folder.
  void choose(const std::string& path);
  void remove_variable(std::size_t row);
  /// Back to what the form began with.
  void reset();

  /// All but the command: devices, restarts, baseline, name. Its settings hold the program, too.
  LaunchForm& settings() { return settings_; }
  const LaunchForm& settings() const { return settings_; }
  /// Settings of the run: with the script's name where none is typed.
  messages::RunSpec spec() const;
  const std::string& automatic_name() const { return automatic_name_; }

  std::string text(const std::string& key) const;
  /// What is wrong with a field; empty: nothing.
  std::string error(const std::string& key) const;
  const std::vector<Variable>& variables() const { return variables_; }
  /// The command line of each rank; empty while it is not known.
  const std::vector<std::string>& argv() const { return settings_.spec().program.argv; }
  /// The folder it runs in where none is typed; empty: where Ringside was started.
  const std::string& default_folder() const { return default_folder_; }
  /// What became of the options of a launcher such as torchrun, each in one sentence.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The launcher's own count.
  std::optional<std::int64_t> launcher_ranks() const { return ranks_; }
  /// What the person's Accelerate is to be asked, since our tables do not say all; nothing: all is
  /// known. Until its answer comes there is nothing to launch.
  const std::optional<launch::AccelerateQuestion>& question() const { return question_; }
  void take_answer(launch::AccelerateQuestion question, Result<launch::AccelerateAnswer> answer);
  /// Why there is nothing to launch yet; empty: there is.
  std::string missing() const;

 private:
  void take_words(std::vector<std::string> words, const std::string& folder);
  void edit_variable(const std::string& key, const std::string& text);
  /// Turns what was typed into the program of the settings.
  void compose();
  std::vector<std::string> environment();
  /// What the launcher and the interpreter make of it.
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
  std::optional<std::int64_t> restarts_;       ///< the launcher's
  std::map<std::string, std::string> errors_;  ///< by key
  std::optional<launch::AccelerateQuestion> question_;
  std::optional<std::pair<launch::AccelerateQuestion, Result<launch::AccelerateAnswer>>> answer_;
};

}  // namespace ringside::view
