// What `ringside-agent --inventory` prints, as the window and the command line read it.
#include "gui/launch/machine.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("links between GPUs get the words of nvidia-smi") {
  const auto machine = launch::parse_machine(R"({"devices": [{"index": 0}, {"index": 1}], "links": [
    {"a": 0, "b": 1, "path": "same node", "nvlink_count": 4, "nvswitch": false},
    {"a": 0, "b": 2, "path": "same node", "nvlink_count": 0, "nvswitch": true, "nvswitch_links": 18},
    {"a": 0, "b": 3, "path": "one switch", "nvlink_count": 0},
    {"a": 0, "b": 4, "path": "switches"}, {"a": 0, "b": 5, "path": "host bridge"},
    {"a": 0, "b": 6, "path": "same node"}, {"a": 0, "b": 7, "path": "across sockets"},
    {"a": 0, "b": 8, "path": "same board"}, {"a": 0, "b": 9, "path": "unknown"}]})");
  REQUIRE(machine);
  std::string words;
  for (const auto& link : machine->links) words += link.word + " ";
  CHECK(words == "NV4 NV18 PIX PXB PHB NODE SYS PIX ? ");
  CHECK(machine->links[1].b == 2);
}

TEST_CASE("what the driver says of a GPU's load is taken over, what it does not say is not known") {
  const auto machine = launch::parse_machine(R"({"devices": [
    {"index": 0, "utilisation_pct": 97.0, "temperature_c": 31.0, "power_w": 22.5},
    {"index": 1, "utilisation_pct": null, "temperature_c": null}]})");
  REQUIRE(machine);
  CHECK(machine->gpus[0].utilisation_pct == 97);
  CHECK(machine->gpus[0].temperature_c == 31);
  CHECK(machine->gpus[0].power_w == 22.5);
  CHECK(machine->gpus[1].utilisation_pct < 0);
  CHECK(machine->gpus[1].temperature_c < 0);
  CHECK(machine->gpus[1].power_w < 0);
}

TEST_CASE("a text that is no inventory is an error, and what is missing is not known") {
  CHECK(!launch::parse_machine("no JSON"));
  CHECK(!launch::parse_machine(R"({"devices": [{"index": "one"}]})"));
  const auto bare = launch::parse_machine("{}");
  REQUIRE(bare);
  CHECK(bare->gpus.empty());
  CHECK(bare->links.empty());
  CHECK(bare->cores == 1);
}
