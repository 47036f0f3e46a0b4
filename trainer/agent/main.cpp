// ringside-agent: supervises the runs of one experiment on this node. See Agent.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "protocol/base/exit_code.h"
#include "protocol/base/process_setup.h"
#include "trainer/agent/agent.h"
#include "trainer/agent/driver.h"
#include "trainer/agent/nodes/early_failure.h"
#include "trainer/agent/nodes/which_node.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/probe/inventory.h"

namespace {

using namespace ringside;
using namespace ringside::agent;

/// EX_TEMPFAIL of sysexits.h; the script of a cluster's job asks for it.
constexpr int kGoesOnLater = 75;

std::filesystem::path own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

std::string trainer_path() {
  if (const char* set = std::getenv("RINGSIDE_TRAINER"); set != nullptr && *set != '\0') return set;
  return (own_folder() / "ringside-trainer").string();
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

int print_inventory() {
  const auto api = ask_driver(10'000'000'000);
  fmt::print("{}\n", probe::to_json(probe::take_inventory("/", api)));
  std::fflush(stdout);
  ::_exit(0);  // not through the destructors of a driver that may hang
}

int complain(const Error& error) {
  fmt::print(stderr, "ringside-agent: {}\n", error.message);
  return exit_code(error);
}

/// Before any run could begin. Who waits for this node is told.
int give_up(const Error& error, const NodePlace& place, bool locked) {
  const int code = complain(error);
  std::fflush(stderr);
  unblock_signals();
  tell_other_nodes(place, error.message, locked);
  return code;
}

int run_all(const NodePlace& place, const std::string& warning, const std::vector<int>& locks,
            bool keep_going, bool requeue) {
  const std::string marker = marker_of_this_process();
  const bool locked = !locks.empty();
  std::vector<std::filesystem::path> reserves;
  for (const auto& folder : place.folders)
    reserves.push_back(runlog::RunFolder(folder).reserve_path(place.node));
  auto reaper = OrphanReaper::start(marker, reserves);
  if (!reaper) return give_up(reaper.error(), place, locked);
  block_signals();
  auto spawner = PosixSpawner::make(marker, *reaper);
  if (!spawner) return give_up(spawner.error(), place, locked);
  const SystemClock clock;
  auto agent = Agent::open(
      {place.folders, inherited_environment(), trainer_path(), find_client_files(own_folder()),
       marker, warning, locks, keep_going, place.node, requeue},
      clock, *spawner);
  if (!agent) return give_up(agent.error(), place, locked);
  switch ((*agent)->run()) {
    case Ended::kWell:
      return 0;
    case Ended::kGoesOnLater:
      return kGoesOnLater;
    case Ended::kBadly:
      break;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  CLI::App app("Supervises the runs of one experiment on this node, in the order given.",
               "ringside-agent");
  app.set_version_flag("--version", std::string("ringside-agent ") + RINGSIDE_VERSION);
  bool inventory = false;
  std::vector<std::filesystem::path> folders;
  app.add_flag("--inventory,--probe", inventory,
               "Print what this machine offers as JSON, and leave");
  std::string warning;
  app.add_option("--warning", warning, "What the runs' logs shall say of how they were planned");
  std::vector<int> locks;
  app.add_option("--locks", locks,
                 "Descriptors of the run folders' locks, as whoever started this left them open");
  bool keep_going = false;
  app.add_flag("--keep-going", keep_going, "After a run that failed, begin the next");
  bool requeue = false;
  app.add_flag("--requeue", requeue,
               "After SIGUSR1 (the time is nearly up: a checkpoint, then the end) or a lost node, "
               "leave with exit code 75: start it again, and the run goes on");
  std::optional<Node> node;
  app.add_option("--node", node,
                 "Which node of a run on several this is, from 0; else SLURM_NODEID or GROUP_RANK");
  app.add_option("RUN_DIR", folders, "Run folders, each with a spec.toml");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (inventory) return print_inventory();
  if (folders.empty()) return complain({ErrorKind::kRequest, "no run folder given; see --help"});
  const auto place = find_node(folders, node, [](const char* name) { return std::getenv(name); });
  if (!place) return complain(place.error());
  return run_all(*place, warning, locks, keep_going, requeue);
}
