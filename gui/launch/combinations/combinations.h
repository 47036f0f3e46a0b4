// A study of settings: the values that each `--set KEY=A,B` names, their combinations, and the
// settings of a study that follow from them, all on the recipe's own number of devices. Of a
// command `{name}` in its arguments takes the values. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/study_settings.h"

namespace ringside::launch {

inline constexpr std::uint64_t kMostCombinations = 200;

/// A setting with the values it is to have, each as `--set` takes it.
struct Swept {
  std::string name;
  std::vector<std::string> values;
};

struct AskedSettings {
  std::vector<Swept> swept;
  std::vector<std::string> fixed;  ///< those of one value, for the recipe
};

/// The values in "0.01,0.03". A comma within quotes or brackets belongs to its value, and one in a
/// setting that is a list parts two values only between lists: "[30,60],[40,80]".
std::vector<std::string> values_of(std::string_view name, std::string_view text);

/// A bad request: a value that is empty or given twice, or a name.
Result<AskedSettings> parse_settings(const std::vector<std::string>& sets);

/// A bad request where one of these has several values: `instead` is what was asked for beside it.
/// Free texts and lists keep their commas.
Result<void> refuse_several(const std::vector<std::string>& sets, const std::string& instead);

struct Draw {
  std::uint64_t count = 0;  ///< so many of the combinations, none twice
  std::uint64_t seed = 0;
};

/// Assignments of each, the last name fastest. A bad request: too many, or names that are not those
/// of a command's `{name}`; `argv` is empty without a command.
Result<std::vector<Combination>> combinations_of(const std::vector<Swept>& swept,
                                                 const std::vector<std::string>& argv,
                                                 const std::optional<Draw>& draw);

/// As plan_settings, for a request that has combinations.
Result<PlannedSettings> plan_combinations(const messages::RunSpec& recipe,
                                          const StudyRequest& request, const Machine& machine);

}  // namespace ringside::launch
