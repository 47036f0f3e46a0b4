// Tests a machine with two GPUs, one used by a run of ours and one by another user's program.
#include "gui/view/window/machine_tables.h"

#include "tests/support/catch.h"

namespace ringside {
namespace {

using view::machine_tables;
using view::ProcessLoad;

std::string run_name(const RunId& id) { return "run #" + id; }

launch::ProcessUse process(std::int64_t pid, const char* user, std::int64_t cpu_ms,
                           const char* run = "") {
  return {
      pid, user, "/opt/env/bin/python /home/train.py", cpu_ms * 1'000'000, std::int64_t{3} << 30,
      run};
}

view::MachineUse shared_machine(std::size_t most = 10) {
  launch::HostActivity around;
  launch::Machine& machine = around.machine;
  machine.host = "box";
  machine.cores = 8;
  machine.memory_total_bytes = std::int64_t{32} << 30;
  machine.memory_available_bytes = std::int64_t{20} << 30;
  machine.gpus.resize(2);
  machine.gpus[0].uuid = "GPU-a";
  machine.gpus[0].pids = {11, 15};
  machine.gpus[1].index = 1;
  machine.gpus[1].uuid = "GPU-b";
  machine.gpus[1].utilisation_pct = 97;
  machine.gpus[1].pids = {12, 14, 99, -1, -1};
  DeviceTicket holds, waits;
  holds.run = "one";
  holds.wants.gpus = {"GPU-a"};
  holds.running = true;
  waits.run = "two";
  waits.wants.gpus = {"GPU-a", "GPU-b"};
  machine.links = {{0, 1, "NV4"}};
  holds.wants.cpu_slots = 3;
  around.tickets = {holds, waits};
  const std::vector<launch::ProcessUse> before{process(11, "ada", 1000, "one"),
                                               process(12, "bob", 500), process(13, "bob", 0),
                                               process(14, "bob", 900), process(15, "eve", 100)};
  const auto processes =
      view::loads_of(before,
                     {process(11, "ada", 2000, "one"), process(12, "bob", 4500),
                      process(13, "bob", 20), process(14, "bob", 40), process(15, "eve", 3100)},
                     2);
  view::MachineUse use = view::machine_use(around, processes, 90'000'000'000, run_name, most);
  use.load = 5.25;
  return use;
}

std::vector<std::string> column(const view::Table& table, const std::string& key) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key != key) continue;
    for (const auto& row : table.rows) texts.push_back(row.cells[i].text);
  }
  return texts;
}

TEST_CASE("the user of a GPU is named as a run of ours, or as the users of its processes") {
  const auto tables = machine_tables(shared_machine());
  REQUIRE(tables.size() == 3);
  CHECK(column(tables[0], "used_by") ==
        std::vector<std::string>{"run #one, eve", "bob, pid 99, a process that is not seen here"});
  CHECK(column(tables[0], "utilisation_percent") == std::vector<std::string>{"–", "97"});
  CHECK(column(tables[1], "state") == std::vector<std::string>{"has its devices", "waits"});
  CHECK(column(tables[1], "devices") == std::vector<std::string>{"GPU 0, 3 CPU slots", "GPU 0, 1"});
  CHECK(column(tables[0], "links") == std::vector<std::string>{"1 NV4", "0 NV4"});
  CHECK(shared_machine().cpu_slots_free == 5);
  CHECK(view::machine_line(shared_machine()) ==
        "box: 8 cores, load 5.3; 20.0 of 32.0 GiB memory free");
}

TEST_CASE("processes of runs, processes on GPUs and busy ones are listed, the busiest first") {
  const auto tables = machine_tables(shared_machine());
  // Process 13 is idle; 14 is another process than the one that had this id before.
  CHECK(column(tables[2], "pid") == std::vector<std::string>{"12", "15", "11", "14"});
  CHECK(column(tables[2], "command").front() == "python /home/train.py");
  CHECK(column(tables[2], "cores") == std::vector<std::string>{"2.00", "1.50", "0.50", "–"});
  CHECK(column(tables[2], "gpus") == std::vector<std::string>{"1", "0", "0", "1"});
  CHECK(column(tables[2], "run") == std::vector<std::string>{"–", "–", "run #one", "–"});
  CHECK(machine_tables(shared_machine(2))[2].rows.size() == 2);
}

TEST_CASE("a machine without any activity has no tables") { CHECK(machine_tables({}).empty()); }

}  // namespace
}  // namespace ringside
