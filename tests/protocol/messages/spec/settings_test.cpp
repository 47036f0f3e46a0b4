// The descriptions of the settings are complete and agree with the settings themselves.
#include "protocol/messages/spec/settings.h"

#include <set>

#include "protocol/messages/spec/spec_problems.h"
#include "protocol/messages/spec/toml_value.h"
#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

/// Possible values of a setting, among which other settings apply for one.
std::vector<std::string> some_values(const Setting& setting) {
  const auto words = words_of(setting.field);
  if (setting.type.starts_with("list")) return {"[]", R"(["x"])"};
  return words.empty() ? std::vector<std::string>{"0", "1", "2"} : words;
}

/// The settings that a condition's text names, each at the beginning of "KEY is ...".
std::vector<const Setting*> named(std::string_view words) {
  std::vector<const Setting*> found;
  for (const Setting& setting : settings()) {
    if ((" " + std::string(words)).find(" " + setting.key + " is ") != std::string::npos)
      found.push_back(&setting);
  }
  return found;
}

}  // namespace

TEST_CASE("every setting has a label, a meaning in one sentence, and a default within its range") {
  std::set<std::string> keys;
  for (const Setting& setting : settings()) {
    INFO(setting.key);
    CHECK(keys.insert(setting.key).second);
    CHECK_FALSE(setting.field.label.empty());
    CHECK_FALSE(setting.field.meaning.empty());
    CHECK_FALSE(setting.field.meaning.ends_with("."));
    CHECK(find_setting(setting.key) == &setting);
    const auto words = words_of(setting.field);
    const bool known = std::any_of(words.begin(), words.end(), [&](const auto& word) {
      return toml_text(word) == setting.standard;
    });
    CHECK((words.empty() || known));
    if (setting.type == "number") CHECK(has_range(setting.field));
  }
  CHECK(problems(RunSpec{}).empty());
  CHECK(find_setting("optimizer") == nullptr);
  CHECK(label_of("batch.accumulate") == "Gradient accumulation");
  CHECK(label_of("no.such").empty());
}

TEST_CASE("the described settings are exactly those in the TOML") {
  const auto table = parse_toml(to_toml(RunSpec{}), "spec.toml").value();
  std::set<std::string> written;
  for (const TomlEntry& entry : table) {
    const auto* section = std::get_if<TomlTable>(&entry.value.data);
    if (section == nullptr) written.insert(entry.key);
    if (section == nullptr) continue;
    for (const TomlEntry& field : *section) written.insert(entry.key + "." + field.key);
  }
  std::set<std::string> described;
  for (const Setting& setting : settings()) {
    described.insert(setting.key);
    INFO(setting.key);
    CHECK(parse_run_spec(setting.key + " = " + setting.standard, "x"));
  }
  CHECK(written == described);
}

TEST_CASE("a condition names the settings that it depends on") {
  for (const Setting& setting : settings()) {
    const Condition& condition = setting.field.applies;
    CHECK(condition.words.empty() == (condition.holds == nullptr));
    if (condition.holds == nullptr) continue;
    INFO(setting.key << " applies when " << condition.words);
    const auto deciding = named(condition.words);
    REQUIRE_FALSE(deciding.empty());
    bool can_hold = false;
    bool can_fail = false;
    // A condition has at most two settings: tests every pair of values.
    for (const std::string& first : some_values(*deciding.front())) {
      for (const std::string& second : some_values(*deciding.back())) {
        RunSpec spec;
        REQUIRE(set_field(spec, deciding.back()->key + "=" + second));
        REQUIRE(set_field(spec, deciding.front()->key + "=" + first));
        (applies(setting.field, spec) ? can_hold : can_fail) = true;
      }
    }
    CHECK(can_hold);
    CHECK(can_fail);
  }
}

TEST_CASE("settings that only divide the work are distinguished from those that change it") {
  RunSpec one;
  RunSpec other;
  for (const char* sharing :
       {"evaluate.mode", "batch.meaning", "model.sync_batchnorm", "sampler.padding"})
    CHECK(is_sharing(sharing, one, other));
  for (const char* work : {"batch.size", "model.name", "sampler.shuffle", "optimizer.lr"})
    CHECK_FALSE(is_sharing(work, one, other));
  other.evaluate.mode = "none";
  CHECK_FALSE(is_sharing("evaluate.mode", one, other));
}

TEST_CASE("ranges are written in the shortest notation") {
  CHECK(range_text(find_setting("train.epochs")->field) == "0 to 1e6");
  CHECK(range_text(find_setting("limits.grace_s")->field) == "0.1 to 3600");
  CHECK(range_text(find_setting("optimizer.beta2")->field) == "0 to 0.999999999");
  CHECK(range_text(find_setting("train.seed")->field) == "0 to 9007199254740992");
  CHECK(range_text(find_setting("schedule.final_div_factor")->field) == "1 to 1e12");
  CHECK(range_text(find_setting("data.root")->field).empty());
}

}  // namespace ringside::messages
