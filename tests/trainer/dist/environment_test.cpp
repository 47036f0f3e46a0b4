#include "trainer/dist/environment.h"

#include <map>

#include "tests/support/catch.h"

using ringside::dist::read_environment;

namespace {

ringside::Variables from(const std::map<std::string, std::string>& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

}  // namespace

TEST_CASE("a process without a launcher is the only rank") {
  const std::map<std::string, std::string> none;
  const auto env = read_environment(from(none));
  REQUIRE(env);
  CHECK(env->world_size == 1);
  CHECK(env->rank == 0);
  CHECK_FALSE(env->launched);
  CHECK_FALSE(env->from_agent);
  CHECK(env->listen_fd == -1);
  CHECK(env->lifeline_fd == -1);
}

TEST_CASE("a GPU's index on its node is found by its complete UUID") {
  using ringside::dist::number_on_node;
  CHECK(number_on_node("GPU-3a=3,GPU-1=1", "GPU-3a") == 3);
  CHECK(number_on_node("GPU-3a=3,GPU-1=1", "GPU-1") == 1);
  CHECK(number_on_node("GPU-3a=3,GPU-1=1", "GPU-3") == -1);
  CHECK(number_on_node("", "GPU-1") == -1);
  CHECK(number_on_node("GPU-1=x", "GPU-1") == -1);
}

TEST_CASE("torchrun's variables are read") {
  const std::map<std::string, std::string> torchrun = {{"RANK", "3"},
                                                       {"WORLD_SIZE", "8"},
                                                       {"LOCAL_RANK", "1"},
                                                       {"LOCAL_WORLD_SIZE", "2"},
                                                       {"GROUP_RANK", "1"},
                                                       {"MASTER_ADDR", "node1"},
                                                       {"MASTER_PORT", "29500"},
                                                       {"TORCHELASTIC_RESTART_COUNT", "2"},
                                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                       {"TORCHELASTIC_ERROR_FILE", "/tmp/e.json"}};
  const auto env = read_environment(from(torchrun));
  REQUIRE(env);
  CHECK(env->rank == 3);
  CHECK(env->local_rank == 1);
  CHECK(env->local_world_size == 2);
  CHECK(env->node == 1);
  CHECK(env->attempt == 2);
  CHECK(env->use_agent_store);
  CHECK(env->launched);
  CHECK_FALSE(env->from_agent);
  CHECK(env->error_file == "/tmp/e.json");
}

TEST_CASE("the agent's variables take precedence over torchrun's") {
  const std::map<std::string, std::string> agent = {{"RANK", "1"},
                                                    {"WORLD_SIZE", "2"},
                                                    {"GROUP_RANK", "0"},
                                                    {"TORCHELASTIC_RESTART_COUNT", "0"},
                                                    {"RINGSIDE_NODE", "4"},
                                                    {"RINGSIDE_ATTEMPT", "1"},
                                                    {"RINGSIDE_LISTEN_FD", "8"},
                                                    {"RINGSIDE_LIFELINE_FD", "9"}};
  const auto env = read_environment(from(agent));
  REQUIRE(env);
  CHECK(env->node == 4);
  CHECK(env->attempt == 1);
  CHECK(env->from_agent);
  CHECK(env->listen_fd == 8);
  CHECK(env->lifeline_fd == 9);
  CHECK(env->local_rank == 1);
  CHECK(env->local_world_size == 2);
}

TEST_CASE("an invalid variable is reported by name") {
  const std::map<std::string, std::string> words = {{"RANK", "first"}, {"WORLD_SIZE", "2"}};
  const auto no_number = read_environment(from(words));
  REQUIRE_FALSE(no_number);
  CHECK(no_number.error().kind == ringside::ErrorKind::kRequest);
  CHECK(no_number.error().message.find("RANK") != std::string::npos);
  const std::map<std::string, std::string> outside = {{"RANK", "2"}, {"WORLD_SIZE", "2"}};
  CHECK_FALSE(read_environment(from(outside)));
}

TEST_CASE("an srun task has the rank that Slurm assigned") {
  std::map<std::string, std::string> task = {{"SLURM_STEP_ID", "0"},
                                             {"SLURM_PROCID", "5"},
                                             {"SLURM_NTASKS", "7"},
                                             {"SLURM_LOCALID", "1"},
                                             {"SLURM_NODEID", "2"},
                                             {"SLURM_STEP_TASKS_PER_NODE", "2(x2),3"},
                                             {"SLURM_STEP_NODELIST", "gpu[03-05]"},
                                             {"SLURM_JOB_ID", "4711234"}};
  const auto env = read_environment(from(task));
  REQUIRE(env);
  CHECK(env->rank == 5);
  CHECK(env->world_size == 7);
  CHECK(env->local_rank == 1);
  CHECK(env->local_world_size == 3);
  CHECK(env->node == 2);
  CHECK(env->launched);
  CHECK_FALSE(env->from_agent);
  CHECK(env->master_addr == "gpu03");
  CHECK(env->master_port == 11234);

  SECTION("a script's torchrun variables take precedence") {
    task.insert({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "head"}});
    const auto own = read_environment(from(task));
    REQUIRE(own);
    CHECK(own->rank == 0);
    CHECK(own->master_addr == "head");
  }
  SECTION("a rendezvous address set by the user is kept") {
    task.insert({{"MASTER_ADDR", "head"}, {"MASTER_PORT", "29500"}});
    const auto own = read_environment(from(task));
    REQUIRE(own);
    CHECK(own->rank == 5);
    CHECK(own->master_addr == "head");
    CHECK(own->master_port == 29500);
  }
  SECTION("a batch script is not a task") {
    task.erase("SLURM_STEP_ID");
    const auto own = read_environment(from(task));
    REQUIRE(own);
    CHECK(own->world_size == 1);
    CHECK_FALSE(own->launched);
  }
  SECTION("an invalid number is reported") {
    task["SLURM_PROCID"] = "x";
    const auto own = read_environment(from(task));
    REQUIRE_FALSE(own);
    CHECK(own.error().message.find("SLURM_PROCID") != std::string::npos);
  }
}

TEST_CASE("the first host of a Slurm node list is found") {
  using ringside::dist::first_host;
  CHECK(first_host("n1") == "n1");
  CHECK(first_host("n1,n2") == "n1");
  CHECK(first_host("n[1-2]") == "n1");
  CHECK(first_host("gpu[03-05,9],login") == "gpu03");
  CHECK(first_host("login,gpu[1-2]") == "login");
  CHECK(first_host("a[7]") == "a7");
  CHECK(first_host("").empty());
}
