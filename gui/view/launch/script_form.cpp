#include "gui/view/launch/script_form.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "gui/launch/launchers/script.h"
#include "gui/view/launch/launch_view.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"

namespace ringside::view {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kOption = "--env ";
constexpr std::string_view kEnvironment = "script.environment.";
constexpr const char* kNotStored = "A secret was not stored with the run: type it again.";

bool is_script(std::string_view word) { return word.ends_with(".py"); }

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

/// The default folder for a command: that of its script.
std::string folder_of_command(const std::string& program, const Words& arguments) {
  if (is_script(program)) return folder_of(program);
  const auto script = std::ranges::find_if(
      arguments, [](const auto& word) { return is_script(word) && word.starts_with('/'); });
  return script == arguments.end() ? "" : folder_of(*script);
}

/// The problem with the name of a variable; empty: none.
std::string problem_of_name(const std::string& name) {
  if (name.empty()) return "Name the variable.";
  const bool letters = std::ranges::all_of(
      name, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
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

ScriptForm::ScriptForm(const messages::RunSpec& spec) : settings_(spec) {
  const messages::ProgramSpec& program = spec.program;
  for (const std::string& entry : program.environment) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    variables_.push_back(
        {entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size()))});
  }
  // A script becomes `python3 -u train.py` in argv. Only the script is shown as typed if that gives
  // the same argv.
  Words words = program.argv;
  const auto script = std::ranges::find_if(words, is_script);
  const bool behind = script != words.end() && std::distance(words.begin(), script) == 2;
  if (behind) take_words({script, words.end()}, program.cwd);
  if (!behind || argv() != program.argv) take_words(std::move(words), program.cwd);
}

void ScriptForm::take_words(Words words, const std::string& folder) {
  program_.clear();
  folder_ = folder;
  if (!words.empty()) {
    program_ = words.front();
    words.erase(words.begin());
  }
  arguments_ = shell_words(words);
  if (is_script(program_) && folder_of(program_).empty() && !folder_.empty()) {
    // The script is run by its file name in that folder.
    program_ = (std::filesystem::path(folder_) / program_).string();
    folder_.clear();
  } else if (!is_script(program_) && folder_of_command(program_, words) == folder_) {
    folder_.clear();
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
    if (value == kHiddenSecret) errors_[script_key::variable_value(row)] = kNotStored;
    if (problem.empty()) {
      entries.push_back(name + "=" + value);
    } else {
      errors_[script_key::variable_name(row)] = std::move(problem);
    }
  }
  return entries;
}

/// Reports a problem: beside its row if it is about a variable, without the option's name, or else
/// at the program.
void ScriptForm::refuse(const std::string& problem) {
  for (std::size_t row = 0; row < variables_.size(); ++row) {
    const std::string begin = std::string(kOption) + variables_[row].name + ": ";
    if (!problem.starts_with(begin)) continue;
    errors_[script_key::variable_name(row)] = problem.substr(kOption.size());
    return;
  }
  errors_[script_key::kProgram] = problem;
}

void ScriptForm::understand(const Words& arguments, messages::ProgramSpec& program) {
  launch::ScriptRequest request;
  // A script in its own folder is run by its file name.
  const bool inside = is_script(program_) && folder_.empty();
  request.command = {inside ? std::filesystem::path(program_).filename().string() : program_};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.cwd = program.cwd;
  request.environment = program.environment;
  request.instrument = program.instrument;
  request.ask = [this](const auto& asked) -> Result<launch::AccelerateAnswer> {
    if (answer_ && answer_->first == asked) return answer_->second;
    question_ = asked;
    return bad_request(label::kAsking);
  };
  const auto understood = launch::understand(request);
  if (question_) return;
  if (!understood) {
    refuse(understood.error().message);
    return;
  }
  ranks_ = understood->ranks;
  if (understood->restarts && understood->restarts != restarts_)
    settings_.edit("limits.restarts", std::to_string(*understood->restarts));
  restarts_ = understood->restarts;
  if (!ranks_) request.ranks = settings_.spec().devices.world_size;
  auto spec = launch::script_spec(request, notes_);
  if (!spec) {
    refuse(spec.error().message);
    return;
  }
  automatic_name_ = std::move(spec->name);
  if (spec->devices.threads > 0)
    settings_.edit("devices.threads", std::to_string(spec->devices.threads));
  program = std::move(spec->program);
  const bool hidden = std::ranges::any_of(
      program.argv, [](const std::string& word) { return word.find(kHiddenSecret) != word.npos; });
  if (hidden) errors_[script_key::kArguments] = kNotStored;
}

void ScriptForm::take_answer(launch::AccelerateQuestion question,
                             Result<launch::AccelerateAnswer> answer) {
  answer_.emplace(std::move(question), std::move(answer));
  compose();
}

void ScriptForm::compose() {
  question_.reset();
  errors_.clear();
  notes_.clear();
  automatic_name_.clear();
  ranks_.reset();
  const auto arguments = split_words(arguments_);
  default_folder_ = folder_of_command(program_, arguments ? *arguments : Words{});
  messages::ProgramSpec program;
  program.cwd = folder_.empty() ? default_folder_ : folder_;
  program.environment = environment();
  program.instrument = settings_.spec().program.instrument;
  if (!arguments) {
    errors_[script_key::kArguments] = arguments.error().message;
  } else if (!program_.empty()) {
    understand(*arguments, program);
  }
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
  if (question_) return label::kAsking;
  return errors_.empty() ? "" : label::kBadFields;
}

}  // namespace ringside::view
