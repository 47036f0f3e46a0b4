#include "gui/launch/place_options.h"

#include <array>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::launch;
using Words = std::vector<std::string>;
using Json = nlohmann::json;

namespace {

constexpr std::array<PlaceOption, 3> kRows{
    {{"nodes", "--nodes", "N", "", "Nodes", "", "", 64},
     {"where", "--where", "TEXT", "", "Where", "", ""},
     {"more", "--more", "TEXT", "", "More", "", "", 0, true}}};
const Typed kAll{{"nodes", "2"}, {"where", "a b"}, {"more", "x=1 'y z'"}};

}  // namespace

TEST_CASE("options of a place become arguments of a command, one for each text of a list") {
  CHECK(words_of(kRows, kAll) ==
        Words{"--nodes", "2", "--where", "a b", "--more", "x=1", "--more", "y z"});
  CHECK(words_of(kRows, {}).empty());
  CHECK(words_of(kRows, {{"nodes", ""}, {"where", ""}, {"more", ""}, {"none", "x"}}).empty());
  // Invalid numbers and quoting are left out, and 0 counts as not given.
  CHECK(words_of(kRows, {{"nodes", "two"}, {"more", "'x"}}).empty());
  CHECK(words_of(kRows, {{"nodes", "0"}}).empty());
}

TEST_CASE("an invalid option of a place is reported with its label") {
  CHECK(values_of(kRows[0], {{"nodes", "two"}}).error().message ==
        "Nodes: \"two\" is not a whole number");
  CHECK_FALSE(values_of(kRows[0], {{"nodes", "-1"}}));
  CHECK(values_of(kRows[2], {{"more", "'x"}}).error().message.starts_with("More: "));
}

TEST_CASE("options of a place have matching JSON types and read back the same") {
  const Json json = to_json(kRows, kAll);
  CHECK(json == Json{{"nodes", 2}, {"where", "a b"}, {"more", {"x=1", "y z"}}});
  CHECK(words_of(kRows, read_typed(kRows, json)) == words_of(kRows, kAll));
  CHECK(to_json(kRows, {}) == Json::object());
  CHECK(words_of(kRows, read_typed(kRows, {{"nodes", 0}, {"where", ""}, {"later", 1}})).empty());
  for (const char* wrong : {"[]", "3", "null", R"({"nodes": "2"})", R"({"more": "x"})"})
    CHECK_THROWS_AS(read_typed(kRows, Json::parse(wrong)), Json::exception);
}
