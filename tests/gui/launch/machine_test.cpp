// The output of `ringside-agent --inventory` as the window and the command line read it.
#include "gui/launch/machine.h"

#include "gui/launch/paths.h"
#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("links between GPUs are named as by nvidia-smi, or ? if the agent has no name") {
  const auto machine = launch::parse_machine(R"({"devices": [{"index": 0}, {"index": 1}], "links": [
    {"a": 0, "b": 1, "word": "NV4", "path": "same node", "nvlink_count": 4, "nvswitch": false},
    {"a": 0, "b": 2, "path": "switches"}]})");
  REQUIRE(machine);
  REQUIRE(machine->links.size() == 2);
  CHECK(machine->links[0].word == "NV4");
  CHECK(machine->links[1].word == "?");
  CHECK(machine->links[1].b == 2);
}

TEST_CASE("the load of a GPU is taken from the driver, and missing values are unknown") {
  const auto machine = launch::parse_machine(R"({"devices": [
    {"index": 0, "compute_capability": "8.6", "utilisation_pct": 97.0, "temperature_c": 31.0, "power_w": 22.5},
    {"index": 1, "mig": true, "utilisation_pct": null, "temperature_c": null,
     "processes": [{"pid": null}, {"pid": 7}]}]})");
  REQUIRE(machine);
  CHECK(machine->gpus[0].utilisation_pct == 97);
  CHECK(machine->gpus[0].temperature_c == 31);
  CHECK(machine->gpus[0].power_w == 22.5);
  CHECK(machine->gpus[0].capability == "8.6");
  CHECK(machine->gpus[1].capability.empty());
  CHECK_FALSE(machine->gpus[0].mig);
  CHECK(machine->gpus[1].mig);
  CHECK(machine->gpus[1].pids == std::vector<std::int64_t>{-1, 7});
  CHECK(machine->gpus[1].utilisation_pct < 0);
  CHECK(machine->gpus[1].temperature_c < 0);
  CHECK(machine->gpus[1].power_w < 0);
}

TEST_CASE("a text that is not an inventory is an error, and missing values are unknown") {
  CHECK(!launch::parse_machine("no JSON"));
  CHECK(!launch::parse_machine(R"({"devices": [{"index": "one"}]})"));
  const auto bare = launch::parse_machine("{}");
  REQUIRE(bare);
  CHECK(bare->gpus.empty());
  CHECK(bare->links.empty());
  CHECK(bare->cores == 1);
}

TEST_CASE("Where only the viewer is, starting a run is a bad request that names other machines") {
  CHECK(launch::check_can_start());
  const auto can = launch::check_can_start(true);
  REQUIRE_FALSE(can);
  CHECK(can.error().kind == ErrorKind::kRequest);
  CHECK(can.error().message.find("ringside attach ssh://HOST") != std::string::npos);
}
