#include "trainer/agent/processes/affinity.h"

#include "tests/support/catch.h"
#include "trainer/agent/processes/spawn_plan.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

using Shares = std::vector<std::vector<int>>;

/// Two nodes of two cores with two hardware threads each; CPU numbers are in order of the places.
std::vector<probe::CpuPlace> two_nodes() {
  std::vector<probe::CpuPlace> places;
  for (int cpu = 0; cpu < 8; ++cpu) places.push_back({cpu, cpu / 4, cpu / 4, cpu % 4 / 2});
  return places;
}

}  // namespace

TEST_CASE("each rank gets cores of its own, and no two ranks a hardware thread of the same core") {
  CHECK(cpus_of_ranks("cores", two_nodes(), {-1, -1}) == Shares{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(cpus_of_ranks("cores", two_nodes(), {-1, -1, -1}) == Shares{{0, 1}, {2, 3}, {4, 5, 6, 7}});
  CHECK(cpus_of_ranks("cores", two_nodes(), std::vector<int>(8, -1)) ==
        Shares{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
  CHECK(cpus_of_ranks("cores", {{0}, {1, 0, 0, 1}}, {-1, -1, -1}) == Shares{{0}, {1}, {0}});
}

TEST_CASE("the cores of a rank are on the node of its GPU") {
  CHECK(cpus_of_ranks("cores", two_nodes(), {1, 1, 0}) == Shares{{4, 5}, {6, 7}, {0, 1, 2, 3}});
  // A node without usable CPUs leaves the GPUs out of account.
  CHECK(cpus_of_ranks("cores", two_nodes(), {7, 1}) == Shares{{0, 1, 2, 3}, {4, 5, 6, 7}});
}

TEST_CASE("with numa a rank has the whole node of its GPU, or ranks take the nodes in turn") {
  CHECK(cpus_of_ranks("numa", two_nodes(), {1, 1}) == Shares{{4, 5, 6, 7}, {4, 5, 6, 7}});
  CHECK(cpus_of_ranks("numa", two_nodes(), {-1, -1, -1, -1}) ==
        Shares{{0, 1, 2, 3}, {0, 1, 2, 3}, {4, 5, 6, 7}, {4, 5, 6, 7}});
}

TEST_CASE("ranks are not bound unless it is asked for, or where the CPUs are unknown") {
  CHECK(cpus_of_ranks("none", two_nodes(), {-1, -1}) == Shares{{}, {}});
  CHECK(cpus_of_ranks("cores", {}, {-1, -1}) == Shares{{}, {}});
}

TEST_CASE("ranks near a node with too few cores for them use the cores of all nodes") {
  // One CPU of the first node is allowed, and all of the second.
  auto places = two_nodes();
  std::erase_if(places, [](const auto& place) { return place.node == 0 && place.cpu > 0; });
  const auto shares = cpus_of_ranks("cores", places, {0, 0, 0});
  for (const auto& share : shares) {
    CHECK_FALSE(share.empty());
    CHECK(std::count(shares.begin(), shares.end(), share) == 1);
  }
}

TEST_CASE("a plan binds its ranks, but not the tasks of srun nor silently those in a container") {
  SpawnPlanInput in{{},
                    runlog::RunFolder("/runs/20260101T000000Z-abc123"),
                    0,
                    {{}, 8, two_nodes()},
                    "/opt/ringside-trainer",
                    {},
                    40001,
                    "1:2:b"};
  in.spec.devices.world_size = 2;
  in.spec.devices.affinity = "cores";
  CHECK(make_spawn_plan(in)->ranks[1].cpus == std::vector<int>{4, 5, 6, 7});
  in.spec.devices.threads = 16;
  const auto environment = make_spawn_plan(in)->ranks[1].environment;
  CHECK(std::count(environment.begin(), environment.end(), "OMP_NUM_THREADS=4") == 1);
  in.spec.devices.threads = 0;
  in.spec.program.argv = {"docker", "run", "image"};
  const auto docker = make_spawn_plan(in)->ranks[1].argv;
  const auto option = std::find(docker.begin(), docker.end(), "--cpuset-cpus");
  REQUIRE(option != docker.end());
  CHECK(*(option + 1) == "4,5,6,7");
  in.spec.program.argv.clear();
  in.tasks = {{{}, {0, 1, 2, 3}, {}}, {{}, {4, 5, 6, 7}, {}}};
  const auto tasks = make_spawn_plan(in);
  CHECK(tasks->ranks[1].cpus.empty());
  REQUIRE(tasks->warnings.size() == 1);
  CHECK(tasks->warnings[0].find("srun --cpu-bind") != std::string::npos);
}
