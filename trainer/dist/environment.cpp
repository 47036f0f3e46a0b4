#include "trainer/dist/environment.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "protocol/base/slurm_task.h"
#include "protocol/base/text.h"

namespace ringside::dist {
namespace {

// Stores an integer variable in `into`; leaves it unchanged if the variable is unset or empty.
Result<void> read_int(const Variables& get, const char* name, int& into) {
  const char* text = get(name);
  if (text == nullptr || *text == '\0') return {};
  const auto number = whole_number<int>(text);
  if (!number) {
    return bad_request("the environment variable " + std::string(name) + " = \"" + text +
                       "\" is not a whole number");
  }
  into = *number;
  return {};
}

std::string read_text_variable(const Variables& get, const char* name) {
  const char* text = get(name);
  return text == nullptr ? std::string() : std::string(text);
}

// The last four digits of the job id, which rarely collide for two jobs on a node.
int port_of_job(std::string_view job) {
  int number = 0;
  job.remove_prefix(job.size() - std::min<std::size_t>(job.size(), 4));
  std::from_chars(job.data(), job.data() + job.size(), number);
  return 10000 + number;
}

Result<void> take_slurm_task(const Variables& get, LaunchEnvironment& env) {
  const struct {
    const char* name;
    int* into;
  } numbers[] = {{"SLURM_PROCID", &env.rank},
                 {"SLURM_NTASKS", &env.world_size},
                 {"SLURM_LOCALID", &env.local_rank},
                 {"SLURM_NODEID", &env.node}};
  for (const auto& number : numbers) {
    RINGSIDE_TRY(read_int(get, number.name, *number.into));
  }
  env.local_world_size =
      slurm_tasks_on(read_text_variable(get, "SLURM_STEP_TASKS_PER_NODE"), env.node);
  env.launched = true;
  env.master_addr = first_host(read_text_variable(get, "SLURM_STEP_NODELIST"));
  env.master_port = port_of_job(read_text_variable(get, "SLURM_JOB_ID"));
  return {};
}

}  // namespace

std::string first_host(std::string_view nodes) {
  const auto bracket = nodes.find('[');
  const auto comma = nodes.find(',');
  if (bracket == std::string_view::npos || comma < bracket)
    return std::string(nodes.substr(0, comma));
  const std::string_view inside = nodes.substr(bracket + 1);
  return std::string(nodes.substr(0, bracket)) +
         std::string(inside.substr(0, inside.find_first_of(",-]")));
}

Result<LaunchEnvironment> read_environment(const Variables& get) {
  LaunchEnvironment env;
  env.launched = !read_text_variable(get, "WORLD_SIZE").empty();
  env.from_agent = !read_text_variable(get, "RINGSIDE_ATTEMPT").empty();
  const struct {
    const char* name;
    int* into;
  } numbers[] = {
      {"RANK", &env.rank},
      {"WORLD_SIZE", &env.world_size},
      {"LOCAL_RANK", &env.local_rank},
      {"LOCAL_WORLD_SIZE", &env.local_world_size},
      {"GROUP_RANK", &env.node},
      {"RINGSIDE_NODE", &env.node},
      {"TORCHELASTIC_RESTART_COUNT", &env.attempt},
      {"RINGSIDE_ATTEMPT", &env.attempt},
      {"MASTER_PORT", &env.master_port},
      {"RINGSIDE_LISTEN_FD", &env.listen_fd},
      {"RINGSIDE_LIFELINE_FD", &env.lifeline_fd},
  };
  env.local_rank = -1;
  env.local_world_size = -1;
  if (is_slurm_task(get)) {
    RINGSIDE_TRY(take_slurm_task(get, env));
  }
  for (const auto& number : numbers) {
    RINGSIDE_TRY(read_int(get, number.name, *number.into));
  }
  // Without LOCAL_WORLD_SIZE, all ranks are assumed to be on one node.
  if (env.local_rank < 0) env.local_rank = env.rank;
  if (env.local_world_size < 0) env.local_world_size = env.world_size;
  if (env.world_size < 1 || env.rank < 0 || env.rank >= env.world_size) {
    return bad_request("RANK = " + std::to_string(env.rank) + " does not fit WORLD_SIZE = " +
                       std::to_string(env.world_size) + "; ranks count from 0");
  }
  if (auto set = read_text_variable(get, "MASTER_ADDR"); !set.empty()) env.master_addr = set;
  env.use_agent_store = read_text_variable(get, "TORCHELASTIC_USE_AGENT_STORE") == "True";
  env.visible_gpus = read_text_variable(get, "CUDA_VISIBLE_DEVICES");
  env.gpus = read_text_variable(get, "RINGSIDE_GPUS");
  env.error_file = read_text_variable(get, "TORCHELASTIC_ERROR_FILE");
  return env;
}

int number_on_node(std::string_view gpus, std::string_view uuid) {
  while (!gpus.empty()) {
    const std::string_view entry = gpus.substr(0, gpus.find(','));
    gpus.remove_prefix(std::min(gpus.size(), entry.size() + 1));
    int number = -1;
    if (entry.size() > uuid.size() && entry.starts_with(uuid) && entry[uuid.size()] == '=') {
      std::from_chars(entry.data() + uuid.size() + 1, entry.data() + entry.size(), number);
      return number;
    }
  }
  return -1;
}

}  // namespace ringside::dist
