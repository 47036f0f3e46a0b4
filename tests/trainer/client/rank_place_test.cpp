#include "trainer/client/rank_place.h"

#include <map>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using client::find_place;

namespace {

using Values = std::map<std::string, std::string>;

client::Variables from(const Values& values) {
  return [&values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

}  // namespace

TEST_CASE("the agent's variables say which rank of which run this is") {
  const Values values{{"RINGSIDE_RUN_DIR", "/runs/a"},
                      {"RANK", "3"},
                      {"RINGSIDE_ATTEMPT", "2"},
                      {"RINGSIDE_NODE", "1"}};
  const auto place = find_place(from(values));
  REQUIRE(place);
  REQUIRE(*place);
  CHECK((*place)->sender.rank == 3);
  CHECK((*place)->sender.attempt == 2);
  CHECK((*place)->sender.node == 1);
  CHECK(client::speaker_path(**place) == "/runs/a/attempt_2/rank_3/speaker");
}

TEST_CASE("a task of srun knows its rank by Slurm's variables, where nobody says it otherwise") {
  Values values{{"RINGSIDE_RUN_DIR", "/runs/a"},
                {"SLURM_STEP_ID", "0"},
                {"SLURM_PROCID", "3"},
                {"SLURM_NODEID", "1"}};
  const auto place = find_place(from(values));
  REQUIRE(place);
  REQUIRE(*place);
  CHECK((*place)->sender.rank == 3);
  CHECK((*place)->sender.node == 1);
  CHECK((*place)->sender.attempt == 0);
}

TEST_CASE("without a run or without a rank there is no place") {
  CHECK_FALSE(find_place(from({})).value());
  CHECK_FALSE(find_place(from({{"RANK", "0"}})).value());
  CHECK_FALSE(find_place(from({{"RINGSIDE_RUN_DIR", "/runs/a"}})).value());
  CHECK_FALSE(find_place(from({{"RINGSIDE_RUN_DIR", ""}, {"RANK", "0"}})).value());
}

TEST_CASE("a variable that is no number is named") {
  for (const std::string bad : {"", "one", "-1", "1x", "99999999999"}) {
    const Values values{{"RINGSIDE_RUN_DIR", "/runs/a"}, {"RANK", "0"}, {"RINGSIDE_ATTEMPT", bad}};
    const auto place = find_place(from(values));
    REQUIRE_FALSE(place);
    CHECK(place.error().message.find("RINGSIDE_ATTEMPT = \"" + bad + "\"") != std::string::npos);
  }
}

TEST_CASE("where the rank has no folder nobody speaks, and the folder is named") {
  const TempFolder folder;
  const Values values{{"RINGSIDE_RUN_DIR", folder.path().string()}, {"RANK", "0"}};
  const auto place = find_place(from(values));
  REQUIRE(place);
  const auto spoke = client::become_speaker(place->value());
  REQUIRE_FALSE(spoke);
  CHECK(spoke.error().message.find(client::speaker_path(place->value()).string()) !=
        std::string::npos);
}
