#include "trainer/agent/processes/spawn_plan.h"

#include <algorithm>
#include <map>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

SpawnPlanInput input(int ranks, int gpus, int cores) {
  SpawnPlanInput in{{},
                    runlog::RunFolder("/runs/20260101T000000Z-abc123"),
                    0,
                    {},
                    "/opt/ringside-trainer",
                    {},
                    40001,
                    "1:2:b"};
  in.spec.devices.world_size = ranks;
  in.resources.cores = cores;
  for (int i = 0; i < gpus; ++i) {
    probe::GpuInfo gpu;
    gpu.index = i;
    gpu.uuid = "GPU-" + std::to_string(i);
    in.resources.gpus.push_back(gpu);
  }
  return in;
}

std::map<std::string, std::string> environment_of(const RankPlan& rank) {
  std::map<std::string, std::string> values;
  for (const std::string& entry : rank.environment) {
    const auto equals = entry.find('=');
    REQUIRE(values.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second);
  }
  return values;
}

}  // namespace

TEST_CASE(
    "each rank gets torchrun's variables, a folder, and our trainer with the run folder in its "
    "argv") {
  SpawnPlanInput in = input(2, 0, 4);
  in.attempt = 3;
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  REQUIRE(plan->ranks.size() == 2);
  CHECK_FALSE(plan->cuda);
  CHECK(plan->ranks[1].argv == std::vector<std::string>{"/opt/ringside-trainer", "--run-dir",
                                                        "/runs/20260101T000000Z-abc123"});
  CHECK(plan->ranks[1].folder == "/runs/20260101T000000Z-abc123/attempt_3/rank_1");
  const auto values = environment_of(plan->ranks[1]);
  CHECK(values.at("RANK") == "1");
  CHECK(values.at("LOCAL_RANK") == "1");
  CHECK(values.at("WORLD_SIZE") == "2");
  CHECK(values.at("LOCAL_WORLD_SIZE") == "2");
  CHECK(values.at("GROUP_RANK") == "0");
  CHECK(values.at("MASTER_ADDR") == "127.0.0.1");
  CHECK(values.at("MASTER_PORT") == "40001");
  CHECK(values.at("TORCHELASTIC_RUN_ID") == "20260101T000000Z-abc123");
  CHECK(values.at("TORCHELASTIC_RESTART_COUNT") == "3");
  CHECK(values.at("TORCHELASTIC_ERROR_FILE") ==
        "/runs/20260101T000000Z-abc123/attempt_3/rank_1/error.json");
  CHECK(values.at("OMP_NUM_THREADS") == "2");
  CHECK(values.at("RINGSIDE_ATTEMPT") == "3");
  CHECK(values.at("RINGSIDE_NODE") == "0");
  CHECK(values.at("RINGSIDE_RANK") == "1/2");
  CHECK(values.at("RINGSIDE_AGENT") == "1:2:b");
  CHECK(values.count("CUDA_VISIBLE_DEVICES") == 0);
}

TEST_CASE("any program can be the rank, its argv unchanged") {
  SpawnPlanInput in = input(1, 0, 1);
  in.spec.program.argv = {"python3", "train.py", "--name", "$(touch x); \"odd\""};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  CHECK(plan->ranks[0].argv == in.spec.program.argv);
  CHECK(plan->cwd.empty());
  const auto has = [](const SpawnPlan& made, const std::string& entry) {
    const auto& all = made.ranks[0].environment;
    return std::find(all.begin(), all.end(), entry) != all.end();
  };
  CHECK(has(*plan, "PYTHONUNBUFFERED=1"));
  in.environment = {"PYTHONUNBUFFERED="};
  CHECK_FALSE(has(*make_spawn_plan(in), "PYTHONUNBUFFERED=1"));
  in.spec.program.cwd = "/work";
  CHECK(make_spawn_plan(in)->cwd == "/work");
  in.spec.program.argv.clear();  // our trainer uses absolute paths
  CHECK(make_spawn_plan(in)->cwd.empty());
}

TEST_CASE(
    "the ranks inherit the environment, our values replace others, and no variable occurs twice") {
  SpawnPlanInput in = input(2, 0, 2);
  in.environment = {"HOME=/home/x", "RANK=17", "RANK=18", "RANKED=1"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  const auto values = environment_of(plan->ranks[0]);
  CHECK(values.at("HOME") == "/home/x");
  CHECK(values.at("RANK") == "0");
  CHECK(values.at("RANKED") == "1");
}

TEST_CASE("kind auto uses GPUs if there are any, otherwise CPU slots") {
  const auto plan = make_spawn_plan(input(2, 4, 8));
  REQUIRE(plan);
  CHECK(plan->cuda);
  CHECK(plan->gpus == std::vector<std::string>{"GPU-0", "GPU-1"});
  CHECK(environment_of(plan->ranks[1]).at("CUDA_VISIBLE_DEVICES") == "GPU-0,GPU-1");
  SpawnPlanInput forced = input(2, 4, 8);
  forced.spec.devices.kind = "cpu";
  CHECK_FALSE(make_spawn_plan(forced)->cuda);
  CHECK_FALSE(make_spawn_plan(input(2, 0, 8))->cuda);
}

TEST_CASE("chosen GPUs are in the order of the ranks") {
  SpawnPlanInput in = input(2, 4, 8);
  in.spec.devices.ids = {"GPU-3", "GPU-1"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  CHECK(plan->gpus == std::vector<std::string>{"GPU-3", "GPU-1"});
  CHECK(environment_of(plan->ranks[0]).at("CUDA_VISIBLE_DEVICES") == "GPU-3,GPU-1");
  CHECK(environment_of(plan->ranks[1]).at("RINGSIDE_GPUS") == "GPU-3=3,GPU-1=1");
}

TEST_CASE("an impossible choice of GPUs is a bad request that names the setting") {
  const auto message = [](const SpawnPlanInput& in) {
    const auto plan = make_spawn_plan(in);
    REQUIRE_FALSE(plan);
    CHECK(plan.error().kind == ErrorKind::kRequest);
    return plan.error().message;
  };
  CHECK(message(input(4, 2, 8)).find("devices.world_size = 4 asks for 4 GPUs, but 2") == 0);
  SpawnPlanInput in = input(2, 2, 8);
  in.spec.devices.ids = {"GPU-0", "GPU-9"};
  CHECK(message(in).find("GPU-9") != std::string::npos);
  in.spec.devices.ids = {"GPU-0", "GPU-0"};
  CHECK(message(in).find("twice") != std::string::npos);
  in.spec.devices.ids = {"GPU-0"};
  CHECK(message(in).find("devices.ids names 1") == 0);
  in = input(1, 0, 8);
  in.spec.devices.kind = "cuda";
  CHECK(message(in).find("but 0 can be used") != std::string::npos);
}

TEST_CASE("a MIG instance can be the device of a single rank, and several ranks are refused") {
  SpawnPlanInput in = input(1, 2, 8);
  in.resources.gpus[1].uuid = "MIG-b";
  in.resources.gpus[1].mig_of = "GPU-1";
  in.spec.devices.ids = {"MIG-b"};
  const auto one = make_spawn_plan(in);
  REQUIRE(one);
  CHECK(environment_of(one->ranks[0]).at("CUDA_VISIBLE_DEVICES") == "MIG-b");
  in.spec.devices.world_size = 2;
  in.spec.devices.ids = {"GPU-0", "MIG-b"};
  const auto two = make_spawn_plan(in);
  REQUIRE_FALSE(two);
  CHECK(two.error().kind == ErrorKind::kRequest);
  CHECK(two.error().message.find("MIG-b is a MIG instance") == 0);
}

TEST_CASE("more ranks than cores is allowed on CPU slots, with a warning") {
  const auto plan = make_spawn_plan(input(4, 0, 2));
  REQUIRE(plan);
  REQUIRE(plan->warnings.size() == 1);
  CHECK(plan->warnings[0].find("4 ranks share 2 cores") == 0);
  CHECK(plan->threads == 1);
  CHECK(make_spawn_plan(input(2, 0, 2))->warnings.empty());
}

TEST_CASE("the number of threads is that of the settings, otherwise cores divided by ranks") {
  CHECK(make_spawn_plan(input(2, 0, 7))->threads == 3);
  SpawnPlanInput in = input(2, 0, 7);
  in.spec.devices.threads = 5;
  CHECK(make_spawn_plan(in)->threads == 5);
}

TEST_CASE("with dp one process sees all chosen GPUs") {
  SpawnPlanInput in = input(3, 4, 8);
  in.spec.devices.parallel = "dp";
  in.spec.devices.ids = {"GPU-3", "GPU-0", "GPU-1"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  REQUIRE(plan->ranks.size() == 1);
  CHECK(plan->gpus == std::vector<std::string>{"GPU-3", "GPU-0", "GPU-1"});
  CHECK(plan->threads == 8);
  const auto values = environment_of(plan->ranks[0]);
  CHECK(values.at("CUDA_VISIBLE_DEVICES") == "GPU-3,GPU-0,GPU-1");
  CHECK(values.at("WORLD_SIZE") == "1");
  CHECK(values.at("LOCAL_WORLD_SIZE") == "1");
  CHECK(values.at("RANK") == "0");
}

TEST_CASE("dp without GPUs allows one device, and more are a bad request") {
  SpawnPlanInput in = input(1, 0, 4);
  in.spec.devices.parallel = "dp";
  CHECK(make_spawn_plan(in)->ranks.size() == 1);
  in.spec.devices.world_size = 2;
  const auto plan = make_spawn_plan(in);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().kind == ErrorKind::kRequest);
  CHECK(plan.error().message.find("devices.parallel") != std::string::npos);
}

TEST_CASE("a custom program gets its variables and the location of our client") {
  SpawnPlanInput in = input(1, 0, 1);
  in.environment = {"LR=1", "PYTHONPATH=/mine", "RINGSIDE_INSTRUMENT=1", "KEEP=1"};
  in.spec.program.argv = {"python", "train.py"};
  in.spec.program.environment = {"LR=0.1", "TEXT=a=b", "EMPTY="};
  in.client = {"/bin/libringside_rank.so", "/bin/python"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  CHECK(plan->warnings.empty());
  auto values = environment_of(plan->ranks[0]);
  CHECK(values.at("LR") == "0.1");
  CHECK(values.at("TEXT") == "a=b");
  CHECK(values.at("EMPTY").empty());
  CHECK(values.at("KEEP") == "1");
  CHECK(values.at("PYTHONPATH") == "/bin/python/inject:/bin/python:/mine");
  CHECK(values.at("RINGSIDE_RANK_LIBRARY") == "/bin/libringside_rank.so");
  CHECK(values.at("RINGSIDE_INSTRUMENT") == "1");

  in.spec.program.instrument = false;
  in.spec.program.environment = {"PYTHONPATH=/other"};
  values = environment_of(make_spawn_plan(in)->ranks[0]);
  CHECK(values.at("PYTHONPATH") == "/bin/python:/other");
  CHECK(values.at("RINGSIDE_RANK_LIBRARY") == "/bin/libringside_rank.so");
  CHECK(values.count("RINGSIDE_INSTRUMENT") == 0);
}

TEST_CASE("a program started as slurm gets a task's variables in addition to torchrun's") {
  SpawnPlanInput in = input(2, 0, 4);
  in.spec.program.argv = {"python", "train.py"};
  in.spec.program.environment = {"RINGSIDE_AS=slurm"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  const auto values = environment_of(plan->ranks[1]);
  const std::map<std::string, std::string> wanted{{"RANK", "1"},
                                                  {"SLURM_PROCID", "1"},
                                                  {"SLURM_LOCALID", "1"},
                                                  {"SLURM_NTASKS", "2"},
                                                  {"SLURM_NNODES", "1"},
                                                  {"SLURM_NODEID", "0"},
                                                  {"SLURM_JOB_ID", "40001"},
                                                  {"SLURM_SRUN_COMM_HOST", "127.0.0.1"}};
  for (const auto& [name, value] : wanted) CHECK(values.at(name) == value);
  CHECK(values.count("SLURM_STEP_ID") == 0);
}

TEST_CASE("a script that starts its ranks itself is one process with all GPUs and no rank") {
  SpawnPlanInput in = input(2, 2, 4);
  in.spec.program.argv = {"python", "train.py"};
  in.spec.program.environment = {"RINGSIDE_AS=script"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  REQUIRE(plan->ranks.size() == 1);
  const auto values = environment_of(plan->ranks[0]);
  CHECK(values.at("CUDA_VISIBLE_DEVICES") == "GPU-0,GPU-1");
  CHECK(values.at("OMP_NUM_THREADS") == "2");
  CHECK(values.at("RINGSIDE_RANK") == "0/1");
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_PORT", "TORCHELASTIC_RUN_ID"})
    CHECK(values.count(name) == 0);
  in.resources.gpus.clear();
  CHECK(make_spawn_plan(in));
}

TEST_CASE("a program is started as torchrun, slurm or script, the latter two on one node") {
  SpawnPlanInput in = input(2, 0, 4);
  in.spec.program.argv = {"python", "train.py"};
  in.spec.program.environment = {"RINGSIDE_AS=mpi"};
  const auto plan = make_spawn_plan(in);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message.find("torchrun, slurm or script") != std::string::npos);
  in.spec.program.environment = {"RINGSIDE_AS=slurm"};
  in.spec.devices.nodes = 2;
  CHECK_FALSE(make_spawn_plan(in));
}

TEST_CASE("our trainer gets none of the variables for custom programs") {
  SpawnPlanInput in = input(1, 0, 1);
  in.spec.program.environment = {"LR=0.1"};
  in.client = {"/bin/libringside_rank.so", "/bin/python"};
  const auto values = environment_of(make_spawn_plan(in)->ranks[0]);
  CHECK(values.count("LR") == 0);
  CHECK(values.count("PYTHONPATH") == 0);
  CHECK(values.count("RINGSIDE_RANK_LIBRARY") == 0);
}

TEST_CASE("a missing client sets no variables, and the log gets a warning") {
  SpawnPlanInput in = input(1, 0, 1);
  in.spec.program.argv = {"train"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  REQUIRE(plan->warnings.size() == 1);
  CHECK(plan->warnings[0].find("report nothing by themselves") != std::string::npos);
  const auto values = environment_of(plan->ranks[0]);
  CHECK(values.count("PYTHONPATH") == 0);
  CHECK(values.count("RINGSIDE_RANK_LIBRARY") == 0);
  CHECK(values.count("RINGSIDE_INSTRUMENT") == 0);
}

TEST_CASE("users cannot set the variables that the plan sets") {
  SpawnPlanInput in = input(1, 1, 1);
  in.spec.program.argv = {"train"};
  in.client = {"/bin/libringside_rank.so", "/bin/python"};
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  for (const auto& [name, value] : environment_of(plan->ranks[0])) {
    if (name == "PYTHONPATH") continue;        // combined from both
    if (name == "PYTHONUNBUFFERED") continue;  // the user's value takes precedence
    in.spec.program.environment = {name + "=1"};
    INFO(name);
    REQUIRE_FALSE(make_spawn_plan(in));
    CHECK(make_spawn_plan(in).error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("another node starts its own ranks, which connect to those of node 0") {
  SpawnPlanInput in = input(6, 0, 4);
  in.spec.devices.nodes = 2;
  in.node = 1;
  in.master_address = "10.0.0.1";
  in.interface = "eth0";
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  REQUIRE(plan->ranks.size() == 3);
  CHECK(plan->ranks[0].rank == 3);
  const auto values = environment_of(plan->ranks[2]);
  CHECK(values.at("RANK") == "5");
  CHECK(values.at("LOCAL_RANK") == "2");
  CHECK(values.at("WORLD_SIZE") == "6");
  CHECK(values.at("LOCAL_WORLD_SIZE") == "3");
  CHECK(values.at("GROUP_RANK") == "1");
  CHECK(values.at("RINGSIDE_NODE") == "1");
  CHECK(values.at("MASTER_ADDR") == "10.0.0.1");
  CHECK(values.at("GLOO_SOCKET_IFNAME") == "eth0");
  CHECK(values.at("NCCL_SOCKET_IFNAME") == "=eth0");
  CHECK(values.at("OMP_NUM_THREADS") == "1");
  in.environment = {"NCCL_SOCKET_IFNAME=ib0"};
  CHECK(environment_of(make_spawn_plan(in)->ranks[0]).at("NCCL_SOCKET_IFNAME") == "ib0");
}

TEST_CASE("a node uses the GPUs listed for its ranks, otherwise its first ones") {
  SpawnPlanInput in = input(4, 2, 8);
  in.spec.devices.kind = "cuda";
  in.spec.devices.nodes = 2;
  in.node = 1;
  CHECK(make_spawn_plan(in)->gpus == std::vector<std::string>{"GPU-0", "GPU-1"});
  in.spec.devices.ids = {"GPU-a", "GPU-b", "GPU-1", "GPU-0"};
  CHECK(make_spawn_plan(in)->gpus == std::vector<std::string>{"GPU-1", "GPU-0"});
  in.spec.devices.ids.clear();
  in.spec.devices.world_size = 6;
  const auto few = make_spawn_plan(in);
  REQUIRE_FALSE(few);
  CHECK(few.error().message.find("node 1 has 3 of the ranks, but 2 GPUs") != std::string::npos);
}

TEST_CASE("virtual nodes use different devices of one host") {
  SpawnPlanInput in = input(4, 4, 8);
  in.spec.devices.kind = "cuda";
  in.spec.devices.nodes = 2;
  in.spec.devices.virtual_nodes = true;
  const std::vector<std::string> all{"GPU-0", "GPU-1", "GPU-2", "GPU-3"};
  for (const Node node : {0, 1}) {
    in.node = node;
    in.spec.devices.ids = node == 0 ? std::vector<std::string>() : all;
    const auto plan = make_spawn_plan(in);
    REQUIRE(plan);
    CHECK(plan->gpus ==
          std::vector<std::string>(all.begin() + 2 * node, all.begin() + 2 * node + 2));
    CHECK(plan->host_gpus == all);
    CHECK(plan->host_ranks == 4);
    CHECK(plan->threads == 2);
    CHECK(environment_of(plan->ranks[0]).at("CUDA_VISIBLE_DEVICES") ==
          plan->gpus[0] + "," + plan->gpus[1]);
  }
  in.spec.devices.ids.clear();
  in.resources.gpus.pop_back();
  const auto few = make_spawn_plan(in);
  REQUIRE_FALSE(few);
  CHECK(few.error().message.find("asks for 4 GPUs, but 3") != std::string::npos);
}

TEST_CASE("a rank in an srun task has what Slurm gave that task, and its share of all cores") {
  SpawnPlanInput in = input(2, 0, 8);
  in.environment = {"SLURM_PROCID=0", "HOME=/a"};
  in.tasks = {{{"SLURM_PROCID=0", "HOME=/a"}, {0, 1, 2, 3}, {}},
              {{"SLURM_PROCID=1", "HOME=/b", "RANK=9"}, {4, 5, 6, 7}, {}}};
  const auto all = resources_of(in.tasks);
  CHECK(all.cores == 8);
  CHECK(all.gpus.empty());
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  const auto second = environment_of(plan->ranks[1]);
  CHECK(second.at("SLURM_PROCID") == "1");
  CHECK(second.at("HOME") == "/b");
  CHECK(second.at("RANK") == "1");
  CHECK(second.at("OMP_NUM_THREADS") == "4");
  CHECK(environment_of(plan->ranks[0]).at("SLURM_PROCID") == "0");
  // A baseline uses the cores of its task, not those of the idle tasks.
  in.spec.devices.world_size = 1;
  CHECK(environment_of(make_spawn_plan(in)->ranks[0]).at("OMP_NUM_THREADS") == "4");
  // Cores that tasks share are counted once.
  in.tasks[1].cores = in.tasks[0].cores;
  CHECK(resources_of(in.tasks).cores == 4);
}

TEST_CASE("GPUs visible to all srun tasks are used by the run as without tasks") {
  SpawnPlanInput in = input(2, 2, 4);
  const auto gpus = in.resources.gpus;
  in.tasks = {{{}, {0}, gpus}, {{"CUDA_VISIBLE_DEVICES=0,1"}, {1}, gpus}};
  CHECK(resources_of(in.tasks).gpus.size() == 2);
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  CHECK(environment_of(plan->ranks[1]).at("CUDA_VISIBLE_DEVICES") == "GPU-0,GPU-1");
  CHECK(plan->gpus == std::vector<std::string>{"GPU-0", "GPU-1"});
}

TEST_CASE("when srun divides the GPUs each rank has the first one that its task sees") {
  SpawnPlanInput in = input(2, 2, 4);
  const auto gpus = in.resources.gpus;
  in.tasks = {{{"CUDA_VISIBLE_DEVICES=0"}, {0}, {gpus[1]}},
              {{"CUDA_VISIBLE_DEVICES=0"}, {1}, {gpus[0]}}};
  in.resources.gpus = resources_of(in.tasks).gpus;
  const auto plan = make_spawn_plan(in);
  REQUIRE(plan);
  CHECK(plan->gpus == std::vector<std::string>{"GPU-1", "GPU-0"});
  CHECK(environment_of(plan->ranks[1]).at("CUDA_VISIBLE_DEVICES") == "GPU-0");
  REQUIRE(plan->warnings.size() == 1);
  CHECK(plan->warnings[0].find("--gpu-bind=none") != std::string::npos);
  CHECK(environment_of(plan->ranks[1]).at("RINGSIDE_GPUS") == "GPU-1=1,GPU-0=0");
  in.tasks[1].gpus.clear();
  const auto refused = make_spawn_plan(in);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("rank 1 sees no GPU") != std::string::npos);
}
