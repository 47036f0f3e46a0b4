// A board of machines with every state: one that is busy, one with Slurm, one that does not
// respond, one that was not queried, and one that never responded. Tests only.
#pragma once

#include <string>
#include <vector>

#include "gui/view/window/machine_board.h"

namespace ringside::test {

inline view::BoardMachine busy_machine(std::string address) {
  view::BoardMachine machine;
  machine.address = std::move(address);
  machine.watched = true;
  machine.answered_wall_ns = 1'795'271'067'000'000'000;
  view::MachineUse& use = machine.use.emplace();
  use.host = "box";
  use.cores = 64;
  use.load = 31.25;
  use.cpu_slots_free = 62;
  use.memory_total_bytes = std::int64_t{512} << 30;
  use.memory_available_bytes = std::int64_t{300} << 30;
  use.disk_free_bytes = std::int64_t{1234} << 30;
  for (int i = 0; i < 4; ++i) {
    use.gpus.push_back({i, "NVIDIA RTX A6000", 97, std::int64_t{12} << 30, std::int64_t{48} << 30,
                        71, 288,
                        i < 2    ? "run #1042"
                        : i == 2 ? "someone-with-a-long-name"
                                 : "",
                        "0 NV4, 1 NV4, 2 SYS", "GPU-" + std::to_string(i)});
  }
  use.runs = {{"run #1042", view::kHasDevices, 4711, "GPU 0, 1", "a"},
              {"run #1043", view::kWaitsForDevices, 61, "GPU 0, 1", "b"}};
  for (int i = 0; i < 30; ++i)
    use.processes.push_back({21840 + i, "someone", 0.97, std::int64_t{3} << 30, "0", "run #1042",
                             "python train.py --lr 0.1 --epochs " + std::string(60, '9')});
  return machine;
}

inline std::vector<view::BoardMachine> made_board() {
  std::vector<view::BoardMachine> machines{busy_machine(""), busy_machine("ssh://login")};
  machines[1].use->partitions = {{"gpu", 3, 11, 4, 192, 116, 2}, {"cpu", 12, 0, 0, 768, 0, 0}};
  machines.push_back(busy_machine("ssh://me@a-machine-with-a-long-name.example:2222"));
  machines.back().problem = "lost contact with ssh://box: it does not answer";
  machines.back().retry_s = 20;
  machines.push_back({"ssh://unasked"});
  machines.push_back({"ssh://never"});
  machines.back().watched = true;
  machines.back().retry_s = 120;
  machines.back().failed_wall_ns = 1'795'271'067'000'000'000;
  machines.back().problem =
      "ssh://never has no program ringside; install this version there (`./dev bundle DIR`, then "
      "scp -r DIR never:), with its bin/ringside on the PATH of a login without a terminal";
  return machines;
}

}  // namespace ringside::test
