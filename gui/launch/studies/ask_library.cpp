#include "gui/launch/studies/ask_library.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "gui/launch/paths.h"
#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::launch {
namespace {

using LibraryJson = nlohmann::json;

constexpr std::int64_t kLibraryNs = 120'000'000'000;
/// Exit code of a helper that printed why it has no answer.
constexpr int kNoAnswer = 3;
const std::vector<std::string> kLibraries = {"optuna"};

LibraryJson question_json(const Space& space, const LibraryQuestion& question) {
  LibraryJson settings = LibraryJson::array();
  for (const Swept& one : space.choices)
    settings.push_back({{"name", one.name}, {"values", one.values}});
  for (const Range& one : space.ranges)
    settings.push_back({{"name", one.name},
                        {"low", one.low},
                        {"high", one.high},
                        {"log", one.logarithmic},
                        {"whole", one.whole}});
  LibraryJson trials = LibraryJson::array();
  for (const Trial& one : question.trials) {
    LibraryJson values = LibraryJson::object();
    for (const auto& [name, value] : one.values) values[name] = value;
    const bool known = std::isfinite(one.reached);
    trials.push_back(
        {{"values", values}, {"reached", known ? LibraryJson(one.reached) : LibraryJson(nullptr)}});
  }
  return {{"settings", settings},
          {"trials", trials},
          {"more_is_better", question.more_is_better},
          {"seed", question.seed}};
}

/// Returns the last line that is a JSON object, since a library may print more when it ends; a
/// value that is no object if there is none.
LibraryJson last_object(const std::string& output) {
  LibraryJson last;
  for (const std::string_view line : lines_of(output)) {
    auto one = LibraryJson::parse(line, nullptr, /*allow_exceptions=*/false);
    if (one.is_object()) last = std::move(one);
  }
  return last;
}

Result<std::vector<Swept>> answer_in(const std::string& output, const Space& space,
                                     const std::string& library) {
  const auto answer = last_object(output);
  std::vector<Swept> values;
  const auto all = answer.is_object() ? answer.find("values") : answer.end();
  for (const std::string& name : space.names) {
    const bool told =
        all != answer.end() && all->is_object() && all->contains(name) && all->at(name).is_string();
    if (!told) return failure("the answer of " + library + " is not understood");
    values.push_back({name, {all->at(name).get<std::string>()}});
  }
  return values;
}

}  // namespace

Result<void> check_library(const std::string& library) {
  for (const std::string& one : kLibraries)
    if (one == library) return {};
  return bad_request("--ask: \"" + printable_line(library) + "\" cannot be asked; there is " +
                     kLibraries.front() + suggestion(library, kLibraries));
}

Result<std::vector<Swept>> ask_library(const Space& space, const LibraryQuestion& question,
                                       const Cancelled& cancelled) {
  RINGSIDE_TRY(check_library(question.library));
  const auto assets = RINGSIDE_TRY(assets_folder());
  const auto python = RINGSIDE_TRY(find_on_path(question.python));
  const auto helper = assets / "ask" / ("ask_" + question.library + ".py");
  const auto told = RINGSIDE_TRY(capture(
      {python, helper.string(), question_json(space, question).dump()}, kLibraryNs, cancelled));
  const std::string why = printable_line(last_line(told.errors));
  if (told.exit_code == kNoAnswer) return bad_request("--ask " + question.library + ": " + why);
  if (told.exit_code != 0)
    return failure(question.library + " in " + python + " ended with exit code " +
                   std::to_string(told.exit_code) + (why.empty() ? "" : ": " + why));
  return answer_in(told.output, space, question.library);
}

}  // namespace ringside::launch
