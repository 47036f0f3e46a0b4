#include "gui/launch/studies/combinations.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

constexpr std::uint64_t kMostGrid = 1'000'000'000;

bool is_list(std::string_view name) {
  const messages::Setting* const setting = messages::find_setting(name);
  return setting != nullptr && setting->type.starts_with("list");
}

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !name.empty() && (name.front() < '0' || name.front() > '9') &&
         name.find_first_not_of(kLetters) == name.npos;
}

/// The argument with each `{name}` replaced by its value. "{{name}}" gives a literal "{name}", and
/// "${name}" is left to a shell.
std::string filled(std::string_view argument,
                   const std::function<std::optional<std::string>(std::string_view)>& value) {
  std::string text;
  for (std::size_t at = 0; at < argument.size(); ++at) {
    const std::size_t end = argument[at] == '{' ? argument.find('}', at) : argument.npos;
    const std::string_view name =
        end == argument.npos ? std::string_view() : argument.substr(at + 1, end - at - 1);
    const char before = at > 0 ? argument[at - 1] : ' ';
    if (!is_plain_name(name) || before == '$') {
      text += argument[at];
    } else if (before == '{' && argument.substr(end + 1).starts_with('}')) {
      text += std::string(name) + "}";
      at = end + 1;
    } else if (const auto known = value(name)) {
      text += *known;
      at = end;
    } else {
      text += argument[at];
    }
  }
  return text;
}

std::set<std::string> names_in(const std::vector<std::string>& argv) {
  std::set<std::string> names;
  for (const std::string& argument : argv) {
    (void)filled(argument, [&](std::string_view name) {
      names.emplace(name);
      return std::nullopt;
    });
  }
  return names;
}

bool names_it(const std::vector<Swept>& swept, std::string_view name) {
  return std::ranges::any_of(swept, [&](const Swept& one) { return one.name == name; });
}

/// The names of a recipe's settings are checked where they are set.
Result<void> check_names(const std::vector<Swept>& swept, const std::vector<std::string>& argv) {
  const std::set<std::string> asked = names_in(argv);
  for (const Swept& one : swept) {
    if (!argv.empty() && !asked.contains(one.name))
      return bad_request("--set " + one.name + ": no argument of the command has {" + one.name +
                         "}");
    if (argv.empty() && one.name.starts_with("devices."))
      return bad_request("--set " + one.name +
                         ": a study of settings keeps its devices; --world 1,2,4 measures numbers "
                         "of them");
    if (argv.empty() && (one.name == "name" || one.name.starts_with("baseline.")))
      return bad_request("--set " + one.name + ": trains nothing else; give it one value");
  }
  for (const std::string& name : asked) {
    if (!names_it(swept, name))
      return bad_request("{" + name + "} in the command: no --set " + name +
                         "=A,B gives its values; {{" + name + "}} stands for itself");
  }
  return {};
}

/// Removes the quotes of a command's value, which only `values_of` needed.
std::string unquoted(const std::string& value) {
  const bool quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                      value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

Combination combination_at(const std::vector<Swept>& swept, bool command, std::uint64_t place) {
  Combination sets;
  for (auto one = swept.rbegin(); one != swept.rend(); ++one) {
    const std::string& value = one->values[place % one->values.size()];
    sets.insert(sets.begin(), one->name + "=" + (command ? unquoted(value) : value));
    place /= one->values.size();
  }
  return sets;
}

Result<void> apply(const std::string& set, RunSpec& spec) {
  if (spec.program.argv.empty()) return messages::set_field(spec, set);
  const std::size_t equals = set.find('=');
  for (std::string& argument : spec.program.argv) {
    argument = filled(argument, [&](std::string_view name) {
      const bool wanted = name == std::string_view(set).substr(0, equals);
      return wanted ? std::optional(set.substr(equals + 1)) : std::nullopt;
    });
  }
  return {};
}

}  // namespace

std::vector<std::string> values_of(std::string_view name, std::string_view text) {
  if (is_list(name) && !text.starts_with('[')) return {std::string(text)};
  std::vector<std::string> values(1);
  char quote = 0;
  int depth = 0;
  for (const char letter : text) {
    if (quote != 0) {
      if (letter == quote) quote = 0;
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      --depth;
    } else if (letter == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += letter;
  }
  for (std::string& value : values) value = std::string(trimmed(value));
  return values;
}

Result<AskedSettings> parse_settings(const std::vector<std::string>& sets) {
  AskedSettings asked;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    const std::string name = set.substr(0, equals);
    const std::string origin = "--set " + printable_line(set);
    const auto values = equals == set.npos
                            ? std::vector<std::string>()
                            : values_of(name, std::string_view(set).substr(equals + 1));
    if (values.size() < 2) {
      asked.fixed.push_back(set);
      continue;
    }
    if (!is_plain_name(name)) return bad_request(origin + ": write KEY=VALUE,VALUE");
    if (!is_utf8(set)) return bad_request(origin + " is not valid UTF-8");
    if (names_it(asked.swept, name)) return bad_request("--set " + name + " is given twice");
    for (auto value = values.begin(); value != values.end(); ++value) {
      if (value->empty()) return bad_request(origin + ": a value is empty");
      if (std::find(values.begin(), value, *value) != value)
        return bad_request(origin + ": " + printable_line(*value) + " is given twice");
    }
    asked.swept.push_back({name, values});
  }
  return asked;
}

Result<void> refuse_several(const std::vector<std::string>& sets, const std::string& instead) {
  for (const std::string& set : sets) {
    RunSpec any;
    const std::size_t equals = set.find('=');
    if (equals == set.npos || messages::set_field(any, set)) continue;
    const std::string name = set.substr(0, equals);
    if (values_of(name, std::string_view(set).substr(equals + 1)).size() < 2) continue;
    return bad_request("--set " + printable_line(set) +
                       " has several values, which makes a study of settings on one number of "
                       "devices: leave out " +
                       instead);
  }
  return {};
}

Result<std::vector<Combination>> combinations_of(const std::vector<Swept>& swept,
                                                 const std::vector<std::string>& argv,
                                                 const std::optional<Draw>& draw) {
  RINGSIDE_TRY(check_names(swept, argv));
  std::uint64_t all = 1;
  for (const Swept& one : swept) all = std::min(kMostGrid, all * one.values.size());
  std::set<std::uint64_t> places;
  if (!draw && all > kMostCombinations)
    return bad_request("these values have " + std::to_string(all) + " combinations, more than " +
                       std::to_string(kMostCombinations) + "; --random 20 draws some of them");
  if (draw && (draw->count >= all || draw->count > kMostCombinations))
    return bad_request("--random " + std::to_string(draw->count) + ": there are only " +
                       std::to_string(all) + " combinations; without it each is trained");
  std::mt19937_64 random(draw ? draw->seed : 0);
  while (draw && places.size() < draw->count) places.insert(random() % all);
  for (std::uint64_t place = 0; !draw && place < all; ++place) places.insert(place);
  std::vector<Combination> combinations;
  for (const std::uint64_t place : places)
    combinations.push_back(combination_at(swept, !argv.empty(), place));
  return combinations;
}

Result<PlannedSettings> plan_combinations(const RunSpec& recipe, const StudyRequest& request,
                                          const Machine& machine) {
  PlannedSettings planned;
  for (std::size_t i = 0; i < request.combinations.size(); ++i) {
    const Combination& sets = request.combinations[i];
    const bool own = i < request.recipes.size();
    RunSpec spec = own ? request.recipes[i] : recipe;
    spec.name.clear();
    spec.baseline = {};
    spec.baseline.mode = "none";
    if (!own) {
      for (const std::string& set : sets) RINGSIDE_TRY(apply(set, spec));
    }
    const std::string series = shell_words(sets);
    const auto plan = plan_setting(spec, machine, {});
    if (!plan) return bad_request(series + ": " + plan.error().message);
    const RunSpec& settled = plan->runs.back().spec;
    if (planned.settings.empty()) {
      planned.fallback = plan->fallback;
      planned.warnings = plan->warnings;
    }
    const auto& devices = settled.devices;
    const bool even = devices.nodes > 1 && devices.world_size % devices.nodes == 0;
    const WorldSize world{devices.world_size, even ? devices.nodes : 1};
    planned.settings.push_back({series + "-" + world_text(world), settled, {}});
    planned.settings.back().spec.baseline.mode = "none";
  }
  return planned;
}

}  // namespace ringside::launch
