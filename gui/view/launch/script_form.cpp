#include "gui/view/launch/script_form.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "gui/launch/script.h"
#include "gui/view/launch/launch_view.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"

namespace ringside::view {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kInterpreter = "python3";
constexpr std::string_view kEnvironment = "script.environment.";
constexpr const char* kNotStored = "A secret was not stored with the run: type it again.";

bool is_script(std::string_view word) { return word.ends_with(".py"); }

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

/// The folder that follows from the command: that of the script.
std::string folder_of_command(const std::string& program, const Words& arguments) {
  if (is_script(program)) return folder_of(program);
  const auto script = std::find_if(arguments.begin(), arguments.end(), [](const auto& word) {
    return is_script(word) && word.starts_with('/');
  });
  return script == arguments.end() ? "" : folder_of(*script);
}

/// What is wrong with the name of a variable; empty: nothing.
std::string problem_of_name(const std::string& name) {
  if (name.empty()) return "Name the variable.";
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
  if (!letters || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
    return "A name has letters, digits and _, and begins with no digit.";
  return {};
}

}  // namespace

std::string script_key::variable_name(std::size_t row) {
  return std::string(kEnvironment) + std::to_string(row) + ".name";
}

std::string script_key::variable_value(std::size_t row) {
  return std::string(kEnvironment) + std::to_string(row) + ".value";
}

ScriptForm::ScriptForm() { compose(); }

ScriptForm::ScriptForm(messages::RunSpec spec) : settings_(spec) {
  const messages::ProgramSpec& program = spec.program;
  Words words = program.argv;
  folder_ = program.cwd;
  if (words.size() > 1 && words[0] == kInterpreter && is_script(words[1])) {
    words.erase(words.begin());
    // The name alone is a script in the folder of the run.
    if (folder_of(words[0]).empty() && !folder_.empty()) {
      words[0] = (std::filesystem::path(folder_) / words[0]).string();
      folder_.clear();
    }
  }
  if (!words.empty()) {
    program_ = words.front();
    words.erase(words.begin());
    if (!is_script(program_) && folder_of_command(program_, words) == folder_) folder_.clear();
  }
  arguments_ = shell_words(words);
  for (const std::string& entry : program.environment) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    variables_.push_back(
        {entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size()))});
  }
  compose();
}

void ScriptForm::edit(const std::string& key, const std::string& text) {
  if (key == script_key::kProgram) {
    program_ = text;
  } else if (key == script_key::kArguments) {
    arguments_ = text;
  } else if (key == script_key::kFolder) {
    folder_ = text;
  } else if (key.starts_with(kEnvironment)) {
    edit_variable(key, text);
  } else {
    settings_.edit(key, text);
    return;
  }
  compose();
}

void ScriptForm::edit_variable(const std::string& key, const std::string& text) {
  const char* const begin = key.data() + kEnvironment.size();
  std::size_t row = 0;
  const auto [end, error] = std::from_chars(begin, key.data() + key.size(), row);
  if (error != std::errc() || row > variables_.size()) return;
  if (row == variables_.size()) variables_.emplace_back();
  const bool name = key.ends_with(".name");
  (name ? variables_[row].name : variables_[row].value) = text;
}

void ScriptForm::choose(const std::string& path) {
  program_ = path;
  folder_.clear();
  compose();
}

void ScriptForm::remove_variable(std::size_t row) {
  if (row >= variables_.size()) return;
  variables_.erase(variables_.begin() + static_cast<std::ptrdiff_t>(row));
  compose();
}

void ScriptForm::reset() { *this = ScriptForm(settings_.original()); }

Words ScriptForm::environment() {
  Words entries;
  std::set<std::string> names;
  for (std::size_t row = 0; row < variables_.size(); ++row) {
    const auto& [name, value] = variables_[row];
    if (name.empty() && value.empty()) continue;
    std::string problem = problem_of_name(name);
    if (problem.empty() && !names.insert(name).second) problem = name + " is set twice.";
    if (!problem.empty()) errors_[script_key::variable_name(row)] = std::move(problem);
    if (value == kHiddenSecret) errors_[script_key::variable_value(row)] = kNotStored;
    entries.push_back(name + "=" + value);
  }
  return entries;
}

Words ScriptForm::argv_of(const Words& arguments) {
  if (program_.empty()) return {};
  Words command{program_};
  if (is_script(program_)) {
    // In its own folder the script goes by its name.
    if (folder_.empty()) command[0] = std::filesystem::path(program_).filename().string();
    command.insert(command.begin(), kInterpreter);
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  auto understood = launch::understand(command);
  if (!understood) {
    errors_[script_key::kProgram] = understood.error().message;
    return {};
  }
  notes_ = std::move(understood->notes);
  ranks_ = understood->ranks;
  if (understood->restarts && understood->restarts != restarts_)
    settings_.edit("limits.restarts", std::to_string(*understood->restarts));
  restarts_ = understood->restarts;
  const auto& argv = understood->argv;
  const bool hidden = std::any_of(argv.begin(), argv.end(), [](const std::string& word) {
    return word.find(kHiddenSecret) != word.npos;
  });
  if (hidden) errors_[script_key::kArguments] = kNotStored;
  launch::ScriptRequest request;
  request.command = argv;
  Words ignored;
  const auto named = launch::script_spec(request, ignored);
  automatic_name_ = named ? named->name : "";
  return std::move(understood->argv);
}

void ScriptForm::compose() {
  errors_.clear();
  notes_.clear();
  automatic_name_.clear();
  ranks_.reset();
  messages::ProgramSpec program;
  program.instrument = settings_.spec().program.instrument;
  program.environment = environment();
  const auto arguments = split_words(arguments_);
  default_folder_ = folder_of_command(program_, arguments ? *arguments : Words{});
  if (arguments) {
    program.argv = argv_of(*arguments);
  } else {
    errors_[script_key::kArguments] = arguments.error().message;
  }
  program.cwd = folder_.empty() ? default_folder_ : folder_;
  settings_.set_program(std::move(program));
}

messages::RunSpec ScriptForm::spec() const {
  messages::RunSpec spec = settings_.spec();
  if (spec.name.empty()) spec.name = automatic_name_;
  return spec;
}

std::string ScriptForm::text(const std::string& key) const {
  if (key == script_key::kProgram) return program_;
  if (key == script_key::kArguments) return arguments_;
  if (key == script_key::kFolder) return folder_;
  return settings_.text(key);
}

std::string ScriptForm::error(const std::string& key) const {
  const auto found = errors_.find(key);
  return found == errors_.end() ? settings_.error(key) : found->second;
}

std::string ScriptForm::missing() const {
  if (program_.empty()) return label::kNoProgram;
  return errors_.empty() ? "" : label::kBadFields;
}

}  // namespace ringside::view
