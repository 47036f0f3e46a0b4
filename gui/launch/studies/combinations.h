// A study of settings: parses the values of each `--set KEY=A,B` and makes their combinations, each
// a setting of the study on the recipe's own number of devices. In a command, `{name}` in an
// argument is replaced by the value. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/studies/study_settings.h"

namespace ringside::launch {

inline constexpr std::uint64_t kMostCombinations = 200;

/// A setting with its values, each as `--set` takes it.
struct Swept {
  std::string name;
  std::vector<std::string> values;
};

struct AskedSettings {
  std::vector<Swept> swept;
  std::vector<std::string> fixed;  ///< settings with one value, which change the recipe
};

/// The values in "0.01,0.03". A comma within quotes or brackets belongs to its value, and for a
/// setting that is a list only commas between lists separate values: "[30,60],[40,80]".
std::vector<std::string> values_of(std::string_view name, std::string_view text);

/// A bad request names a value that is empty or given twice, or an invalid name.
Result<AskedSettings> parse_settings(const std::vector<std::string>& sets);

/// Returns a bad request if one of these has several values; `instead` names the option that
/// excludes them. Free texts and lists may contain commas.
Result<void> refuse_several(const std::vector<std::string>& sets, const std::string& instead);

struct Draw {
  std::uint64_t count = 0;  ///< how many of the combinations to draw, without repetition
  std::uint64_t seed = 0;
};

/// The assignments of each combination, the last name varying fastest. A bad request: too many, or
/// names that are no `{name}` of the command; `argv` is empty without a command.
Result<std::vector<Combination>> combinations_of(const std::vector<Swept>& swept,
                                                 const std::vector<std::string>& argv,
                                                 const std::optional<Draw>& draw);

/// Like plan_settings, for a request with combinations.
Result<PlannedSettings> plan_combinations(const messages::RunSpec& recipe,
                                          const StudyRequest& request, const Machine& machine);

}  // namespace ringside::launch
