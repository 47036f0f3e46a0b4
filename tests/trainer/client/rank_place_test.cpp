#include "trainer/client/rank_place.h"

#include <map>

#include "protocol/runlog/nested_ranks.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using client::find_place;

namespace {

using Values = std::map<std::string, std::string>;

Variables from(const Values& values) {
  return [&values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

}  // namespace

TEST_CASE("the agent's variables determine run and rank of this process") {
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

TEST_CASE("a task of srun gets its rank from Slurm's variables if no others are set") {
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

TEST_CASE("without a run or a rank there is no place") {
  CHECK_FALSE(find_place(from({})).value());
  CHECK_FALSE(find_place(from({{"RANK", "0"}})).value());
  CHECK_FALSE(find_place(from({{"RINGSIDE_RUN_DIR", "/runs/a"}})).value());
  CHECK_FALSE(find_place(from({{"RINGSIDE_RUN_DIR", ""}, {"RANK", "0"}})).value());
}

TEST_CASE("ranks of a launcher within a rank do not report for it") {
  const TempFolder folder;
  const std::filesystem::path ours = folder.path() / "attempt_0" / "rank_1";
  const auto nested = [&](const Values& changed) {
    Values values{{"RINGSIDE_RUN_DIR", folder.path().string()},
                  {"RINGSIDE_RANK", "1/2"},
                  {"RANK", "1"},
                  {"WORLD_SIZE", "2"},
                  {"TORCHELASTIC_RUN_ID", folder.path().filename().string()}};
    for (const auto& [name, value] : changed) values[name] = value;
    const auto place = find_place(from(values));
    REQUIRE(place);
    REQUIRE(*place);
    CHECK((*place)->sender.rank == 1);
    return (*place)->nested;
  };
  CHECK(nested({}) == 0);
  CHECK(nested({{"TORCHELASTIC_RUN_ID", "none"}}) == 2);
  CHECK(nested({{"RANK", "0"}}) == 2);
  CHECK(nested({{"WORLD_SIZE", "4"}}) == 4);
  CHECK(nested({{"RANK", "0"}, {"WORLD_SIZE", "1"}}) == 1);

  std::filesystem::create_directories(ours);
  const auto spoke = client::become_speaker({runlog::RunFolder(folder.path()), {0, 1, 0}, 4});
  REQUIRE_FALSE(spoke);
  CHECK(spoke.error().message.find("inside rank 1") != std::string::npos);
  CHECK(runlog::nested_ranks(ours) == 4);
  CHECK_FALSE(std::filesystem::exists(ours / "speaker"));
}

TEST_CASE("in a run of one process the ranks that it starts report for themselves") {
  const Values values{{"RINGSIDE_RUN_DIR", "/runs/a"},
                      {"RINGSIDE_RANK", "0/1"},
                      {"RANK", "0"},
                      {"WORLD_SIZE", "1"},
                      {"TORCHELASTIC_RUN_ID", "none"}};
  CHECK(find_place(from(values))->value().nested == 0);
  auto started = values;
  started["RANK"] = "2";
  started["WORLD_SIZE"] = "4";
  CHECK(find_place(from(started))->value().nested == 0);
  CHECK(find_place(from(started))->value().sender.rank == 2);
}

TEST_CASE("a variable that is not a number is reported") {
  for (const std::string bad : {"", "one", "-1", "1x", "99999999999"}) {
    const Values values{{"RINGSIDE_RUN_DIR", "/runs/a"}, {"RANK", "0"}, {"RINGSIDE_ATTEMPT", bad}};
    const auto place = find_place(from(values));
    REQUIRE_FALSE(place);
    CHECK(place.error().message.find("RINGSIDE_ATTEMPT = \"" + bad + "\"") != std::string::npos);
  }
}

TEST_CASE("without a rank folder no process reports, and the folder is named") {
  const TempFolder folder;
  const Values values{{"RINGSIDE_RUN_DIR", folder.path().string()}, {"RANK", "0"}};
  const auto place = find_place(from(values));
  REQUIRE(place);
  const auto spoke = client::become_speaker(place->value());
  REQUIRE_FALSE(spoke);
  CHECK(spoke.error().message.find(client::speaker_path(place->value()).string()) !=
        std::string::npos);
}
