#include "gui/cli/command/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "build_parts.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "protocol/base/nearest.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

/// {"version", "commit", "compiler", "libraries": [{"name", "version", "licence"}]}. The commit is
/// as from `git describe`, with the nearest tag if there is one; null: unknown.
Json version_json() {
  Json json;
  json["version"] = RINGSIDE_VERSION;
  json["commit"] = *kCommit == '\0' ? Json() : Json(kCommit);
  json["compiler"] = kCompiler;
  json["libraries"] = Json::array();
  for (const auto& [name, version, licence] : kParts)
    json["libraries"].push_back({{"name", name}, {"version", version}, {"licence", licence}});
  return json;
}

DescribedCommand describe(const CLI::App& app) {
  DescribedCommand command{app.get_description(), {}, {}};
  for (const CLI::Option* const option : app.get_options()) {
    const bool named = !option->get_positional();
    command.options.push_back({option->get_name(!named, named),
                               option->get_type_size() == 0 ? "" : option->get_type_name(),
                               option->get_description(), named});
  }
  return command;
}

template <class Value>
Option declare_option(CLI::App& app, const std::string& names, Value& value,
                      const std::string& help) {
  const std::size_t space = names.find(' ');
  const std::string type = space == names.npos ? "" : names.substr(space + 1);
  CLI::Option* const added = app.add_option(names.substr(0, space), value, help)->type_name(type);
  Option option(added);
  if (type != "DIR" && type != "FILE") return option;
  return option.valid([](const std::string& path) {
    return path.starts_with("--") ? "its path is missing, as " + path +
                                        " is an option; a file of that name is ./" + path
                                  : std::string();
  });
}

/// Returns the number of words before a `--` that begins another command line; keeps the `--`.
int take_rest(int argc, char** argv, const Rests& rests) {
  char** const end = argv + argc;
  char** const dashes =
      std::find_if(argv + 1, end, [](const char* word) { return std::string_view(word) == "--"; });
  for (const auto& [command, words] : rests) {
    const bool named = std::find(argv + 1, dashes, command->get_name()) != dashes;
    if (!named || dashes == end) continue;
    words->assign(dashes + 1, end);
    return static_cast<int>(dashes - argv);
  }
  return argc;
}

/// Returns a hint such as "ringside run --help" for the part of the command that was understood.
std::string help_for(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return app.get_name() + (commands.empty() ? "" : " " + commands.front()->get_name()) + " --help";
}

/// Returns the command most similar to the first word if that is not a command; empty if none is
/// similar.
std::string command_near(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const one : app.get_subcommands({})) names.push_back(one->get_name());
  const std::vector<std::string> words = app.remaining();
  const auto first =
      std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  const std::string near = first == words.end() ? "" : nearest_name(*first, names);
  return near.empty() ? near : "; did you mean \"ringside " + near + "\"?";
}

/// Returns the option most similar to the first unknown one; empty if none is similar.
std::string option_near(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const one : command.get_options()) {
    for (const std::string& name : one->get_lnames()) names.push_back(name);
  }
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--")) continue;
    // Dashes are not compared, since all options begin with them.
    const std::string near = nearest_name(word.substr(2, word.find('=') - 2), names);
    return near.empty() ? near : "; did you mean \"--" + near + "\"?";
  }
  return {};
}

/// Returns a hint for extra words that may have been meant as one quoted command; empty if there is
/// none.
std::string hint_for(const CLI::App& app, const Rests& rests, const CLI::ParseError& error) {
  const auto commands = app.get_subcommands();
  const bool takes_command = !commands.empty() && std::ranges::any_of(rests, [&](const auto& rest) {
    return rest.first == commands.front() && rest.second->empty();
  });
  const bool option = std::string_view(error.what()).find(": -") != std::string_view::npos;
  const bool left_over = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (commands.empty() && left_over) return command_near(app);
  if (left_over) {
    if (std::string near = option_near(*commands.front()); !near.empty()) return near;
  }
  if (!takes_command || option || !left_over) return {};
  return "; a command of your own goes behind --, as in ringside " + commands.front()->get_name() +
         " -- python train.py";
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

// CLI11's own range check words its message differently in each version.
Option& Option::range(int least, int most) {
  const std::string bounds = std::to_string(least) + " to " + std::to_string(most);
  const auto problem = [least, most, bounds](const std::string& text) {
    const auto value = whole_number(text);
    return value && *value >= least && *value <= most ? std::string()
                                                      : "Value " + text + " not in range " + bounds;
  };
  option_->check(problem, "INT in [" + std::to_string(least) + " - " + std::to_string(most) + "]");
  return *this;
}

Option& Option::not_empty(const std::string& wanted) {
  return valid([wanted](const std::string& value) {
    return value.empty() ? "nothing is named; write " + wanted : std::string();
  });
}

Option& Option::valid(std::function<std::string(const std::string&)> problem) {
  option_->check(std::move(problem));
  return *this;
}

Option& Option::repeatable() {
  option_->expected(1);
  option_->take_all();
  option_->allow_extra_args(false);  // the next word is not a second value of this option
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Command Command::add_command(const std::string& name, const std::string& description) {
  return {*app_->add_subcommand(name, description), *action_, *rests_, *typed_};
}

Option Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return declare_option(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, int& value, const std::string& help) {
  return declare_option(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<std::string>& value,
                           const std::string& help) {
  return declare_option(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::vector<std::string>& values,
                           const std::string& help) {
  return declare_option(*app_, names, values, help);
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Option Command::option(const std::string& name) { return Option(app_->get_option(name)); }

std::string Command::given_before(const std::string& name) const {
  const CLI::Option* option = app_->get_parent()->get_option_no_throw(name);
  return option != nullptr && option->count() > 0 ? option->results().back() : std::string();
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::check(const std::string& what, std::function<std::string()> problem) {
  app_->parse_complete_callback([what, problem = std::move(problem)] {
    if (const std::string text = problem(); !text.empty()) throw CLI::ValidationError(what, text);
  });
}

void Command::rest_behind_dashes(std::vector<std::string>& words) {
  rests_->emplace_back(app_, &words);
}

void Command::action(Action action) {
  app_->callback([to = action_, action = std::move(action)] { *to = action; });
}

void Command::action_with_words(
    std::function<Result<int>(const std::vector<std::string>&)> action) {
  app_->callback([to = action_, typed = typed_, action = std::move(action)] {
    *to = [action, words = *typed] { return action(words); };
  });
}

void Command::action_with_commands(std::function<Result<int>(const DescribedCommands&)> action) {
  app_->callback([app = app_, to = action_, action = std::move(action)] {
    const CLI::App& root = *app->get_parent();
    DescribedCommands commands{{"", describe(root)}};
    for (const CLI::App* const one : root.get_subcommands({})) {
      commands[one->get_name()] = describe(*one);
      commands[one->get_name()].help = one->help(root.get_name());
    }
    *to = [action, commands = std::move(commands)] { return action(commands); };
  });
}

void Command::action_with_rest(std::function<Result<int>(const std::vector<std::string>&)> action) {
  app_->set_help_flag();
  app_->prefix_command();
  app_->callback([app = app_, to = action_, action = std::move(action)] {
    *to = [action, rest = app->remaining()] { return action(rest); };
  });
}

std::optional<int> parse(int argc, char** argv, const std::function<void(Command&)>& declare,
                         Action& action) {
  CLI::App app("Starts data-parallel training runs and shows what every rank does, live and later.",
               "ringside");
  app.set_version_flag("--version", "ringside " RINGSIDE_VERSION,
                       "The version and exit; with --json also commit, compiler and libraries");
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Without a command the dashboard opens. `ringside COMMAND --help` says more about a "
      "command, `ringside help` has the manual.\n"
      "Exit codes: 0 done, 1 the run failed or the output could not be written, 2 the request was "
      "wrong,\n128 + signal.");
  Rests rests;
  const std::vector<std::string> typed(argv + 1, argv + argc);
  if (typed == std::vector<std::string>{"--version", "--json"}) {
    print(stdout, dump(version_json(), 2) + "\n");
    return 0;
  }
  Command root(app, action, rests, typed);
  declare(root);
  try {
    app.parse(take_rest(argc, argv, rests), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return report({ErrorKind::kRequest, one_line(error.what()) + hint_for(app, rests, error) +
                                            "; see `" + help_for(app) + "`"});
  }
  return std::nullopt;
}

}  // namespace ringside::cli
