#include "protocol/base/slurm_task.h"

#include <map>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

using Values = std::map<std::string, std::string>;

/// Variables as srun sets them for task 2 of 3 on 2 nodes (Slurm 22.05).
Values task_of_three() {
  return {{"SLURM_JOB_ID", "12"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_PROCID", "2"},
          {"SLURM_NTASKS", "3"},
          {"SLURM_LOCALID", "0"},
          {"SLURM_NODEID", "1"},
          {"SLURM_STEP_NUM_TASKS", "3"},
          {"SLURM_STEP_NUM_NODES", "2"},
          {"SLURM_SRUN_COMM_PORT", "40217"},
          {"SLURM_STEP_TASKS_PER_NODE", "2,1"}};
}

Result<std::optional<SlurmTask>> read(const Values& values) {
  return read_slurm_task([&values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  });
}

Result<std::optional<SlurmTask>> read_with(const std::string& name, const std::string& value) {
  Values values = task_of_three();
  values[name] = value;
  return read(values);
}

}  // namespace

TEST_CASE("one of several tasks knows its rank in the step") {
  const auto task = read(task_of_three());
  REQUIRE(task);
  REQUIRE(*task);
  CHECK((*task)->job == "12");
  CHECK((*task)->step == "0");
  CHECK((*task)->rank == 2);
  CHECK((*task)->local_rank == 0);
  CHECK((*task)->node == 1);
  CHECK((*task)->tasks == 3);
  CHECK((*task)->nodes == 2);
  CHECK((*task)->key == "12.0-40217");
  CHECK((*read_with("SLURM_RESTART_COUNT", "1"))->key == "12.0-1-40217");
  CHECK((*read_with("SLURM_SRUN_COMM_PORT", "../x"))->key == "12.0");
}

TEST_CASE("a batch script, a single task and a process started by a rank are not Slurm tasks") {
  CHECK_FALSE(*read({}));
  for (const char* name : {"SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}) {
    Values values = task_of_three();
    values.erase(name);
    CHECK_FALSE(*read(values));
  }
  CHECK_FALSE(*read_with("RINGSIDE_RANK", "0/2"));
  CHECK_FALSE(*read_with("TORCHELASTIC_RUN_ID", "x"));
  // A job script may export these before srun.
  CHECK(*read_with("WORLD_SIZE", "3"));
  CHECK(*read_with("RANK", "0"));
  Values one = task_of_three();
  one["SLURM_STEP_NUM_TASKS"] = "1";
  one["SLURM_PROCID"] = one["SLURM_NODEID"] = "0";
  one["SLURM_STEP_NUM_NODES"] = one["SLURM_STEP_TASKS_PER_NODE"] = "1";
  CHECK_FALSE(*read(one));
}

TEST_CASE("contradictory Slurm variables are a bad request") {
  const std::pair<const char*, const char*> bad[] = {{"SLURM_PROCID", "x"},
                                                     {"SLURM_PROCID", "3"},
                                                     {"SLURM_NODEID", "2"},
                                                     {"SLURM_STEP_NUM_NODES", "4"},
                                                     {"SLURM_STEP_NUM_NODES", ""},
                                                     {"SLURM_LOCALID", "-1"},
                                                     {"SLURM_JOB_ID", "1;2"},
                                                     {"SLURM_STEP_ID", "batch"},
                                                     {"SLURM_STEP_TASKS_PER_NODE", ""},
                                                     {"SLURM_STEP_TASKS_PER_NODE", "3"}};
  for (const auto& [name, value] : bad) {
    const auto task = read_with(name, value);
    INFO(name << "=" << value);
    REQUIRE_FALSE(task);
    CHECK(task.error().kind == ErrorKind::kRequest);
  }
}

TEST_CASE("every task refuses a distribution in which the ranks of a node are not consecutive") {
  const auto told = read_with("SLURM_DISTRIBUTION", "cyclic:block");
  REQUIRE_FALSE(told);
  CHECK(told.error().message.find("--distribution=block") != std::string::npos);
  // A cyclic distribution is recognized by the numbers alone: the second task of node 0 has rank 1.
  Values values = task_of_three();
  values["SLURM_LOCALID"] = "1";
  CHECK_FALSE(read(values));
  CHECK(read_with("SLURM_DISTRIBUTION", "block:cyclic"));
  // One task on each node: with sbatch --ntasks-per-node=1 the distribution is cyclic, too, but the
  // order is the same.
  values = task_of_three();
  values["SLURM_DISTRIBUTION"] = "cyclic";
  values["SLURM_PROCID"] = "1";
  values["SLURM_NTASKS"] = values["SLURM_STEP_NUM_TASKS"] = "2";
  values["SLURM_STEP_TASKS_PER_NODE"] = "1(x2)";
  CHECK(read(values));
}

TEST_CASE("the number of tasks per node is read from Slurm's list") {
  CHECK(slurm_tasks_on("2(x3),1", 0) == 2);
  CHECK(slurm_tasks_on("2(x3),1", 2) == 2);
  CHECK(slurm_tasks_on("2(x3),1", 3) == 1);
  CHECK(slurm_tasks_on("2(x3),1", 4) == -1);
  CHECK(slurm_tasks_on("", 0) == -1);
  CHECK(slurm_tasks_on("many", 0) == -1);
}
