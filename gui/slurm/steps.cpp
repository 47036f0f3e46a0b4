#include "gui/slurm/steps.h"

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <system_error>
#include <utility>

#include "gui/launch/detached.h"
#include "gui/launch/paths.h"
#include "gui/launch/start_experiment.h"
#include "gui/slurm/ask_program.h"
#include "gui/slurm/queue_file.h"
#include "protocol/base/byte_file.h"

namespace ringside::slurm {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

/// Of the steps, in their order; a bad request where a node is missing or a path must not stand in
/// an environment.
Result<std::vector<std::string>> argv_of(const Allocation& allocation,
                                         const std::vector<Step>& steps) {
  const auto env = launch::find_on_path("env");
  if (!env) return pass(env);
  if (const auto srun = launch::find_on_path("srun"); !srun) return pass(srun);
  const auto agent = launch::find_program("ringside-agent");
  if (!agent) return pass(agent);
  for (const Step& step : steps) {
    if (const auto plain = check_places({{}, step.folder, agent->string()}); !plain)
      return pass(plain);
    if (step.nodes > allocation.nodes) {
      return bad_request("the run needs " + std::to_string(step.nodes) + " nodes, and Slurm job " +
                         allocation.job + ", inside which this is, has " +
                         std::to_string(allocation.nodes));
    }
  }
  std::vector<std::string> argv{*env};
  for (std::string& word : steps_words(allocation, agent->string(), steps))
    argv.push_back(std::move(word));
  return argv;
}

/// The files of a step in its folder, as of one that has not begun.
Result<void> prepare(const RunFolder& folder, const Allocation& allocation, const Options& options,
                     const Clock& clock) {
  std::error_code ignored;
  fs::remove(folder.path() / kExitFile, ignored);
  const auto script = write_text_atomically(folder.path() / kScriptFile, kScript, 0700);
  if (!script) return script;
  JobFile file{allocation.job, options, clock.wall_ns(), {}};
  file.is_step = true;
  return write_job_file(folder, file);
}

/// One process for all of them; their agents take the locks.
Result<void> start(const Allocation& allocation, const std::vector<Step>& steps) {
  const auto argv = argv_of(allocation, steps);
  if (!argv) return pass(argv);
  note_state(allocation.job, {"RUNNING", "None", allocation.node_list});
  const auto pid = launch::start_detached(*argv, fs::path(steps.front().folder) / kOutputFile);
  if (!pid) return pass(pid);
  return {};
}

/// Until its agent is there. A short attempt may be over by then.
Result<void> wait_for_agent(const RunFolder& folder, std::int32_t attempts_before) {
  const std::int64_t deadline_ns = mono_now_ns() + launch::kComeUpNs;
  std::error_code ignored;
  while (!fs::exists(folder.agent_path(), ignored) && mono_now_ns() < deadline_ns) {
    if (step_end(folder)) {
      if (folder.attempts() > attempts_before) return {};
      return failure("the step ended before the run started; what it printed is in " +
                     (folder.path() / kOutputFile).string());
    }
    const timespec pause{0, 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return {};
}

}  // namespace

std::optional<Allocation> ask_allocation(const launch::Cancelled& cancelled) {
  auto allocation = own_allocation();
  if (!allocation) return allocation;
  const auto told = ask_program("scontrol", scontrol_words(allocation->job), cancelled);
  return told ? with_news(std::move(*allocation), *told)
              : without_news(std::move(*allocation), told.error().message);
}

Result<launch::Machine> read_machine(const launch::Cancelled& cancelled) {
  auto machine = launch::read_machine(cancelled);
  if (!machine || !machine->gpus.empty()) return machine;
  return seen_inside(std::move(*machine), ask_allocation(cancelled));
}

Result<std::vector<SubmittedRun>> start_runs(const launch::Plan& plan, const Options& options,
                                             const std::optional<Allocation>& allocation,
                                             const fs::path& runs_dir, const Clock& clock) {
  return allocation ? start_steps(plan, options, *allocation, runs_dir, clock)
                    : submit(plan, options, runs_dir, clock);
}

Result<std::vector<SubmittedRun>> start_steps(const launch::Plan& plan, const Options& options,
                                              const Allocation& allocation,
                                              const fs::path& runs_dir, const Clock& clock) {
  if (const auto planned = planned_steps(plan, allocation, runs_dir); !planned)
    return pass(planned);
  auto made = launch::make_folders(plan, runs_dir, clock);
  if (!made) return pass(made);
  std::vector<SubmittedRun> runs;
  std::vector<Step> steps;
  Result<void> ready;
  for (std::size_t i = 0; i < made->size() && ready; ++i) {
    const RunFolder& folder = (*made)[i].folder;
    ready = prepare(folder, allocation, options, clock);
    runs.push_back({folder, allocation.job});
    steps.push_back({folder.path().string(), plan.runs[i].spec.devices.nodes});
  }
  for (auto& run : *made) const auto released = std::move(run.lock);
  if (ready) ready = start(allocation, steps);
  if (ready) return runs;
  std::error_code ignored;
  for (const auto& run : *made) fs::remove_all(run.folder.path(), ignored);
  return pass(ready);
}

Result<SubmittedRun> start_step_again(const RunFolder& folder, const messages::RunSpec& settings,
                                      const Options& options, const Allocation& allocation,
                                      const Clock& clock) {
  auto lock = runlog::FolderLock::take(folder);
  if (!lock) return pass(lock);
  const std::vector<Step> steps{{folder.path().string(), settings.devices.nodes}};
  if (const auto planned = argv_of(allocation, steps); !planned) return pass(planned);
  // Of an agent that died.
  std::error_code ignored;
  fs::remove(folder.agent_path(), ignored);
  const std::int32_t attempts = folder.attempts();
  if (const auto ready = prepare(folder, allocation, options, clock); !ready) return pass(ready);
  { const auto released = std::move(*lock); }  // its agent takes it
  if (const auto started = start(allocation, steps); !started) return pass(started);
  if (const auto there = wait_for_agent(folder, attempts); !there) return pass(there);
  return SubmittedRun{folder, allocation.job};
}

Result<std::vector<std::string>> planned_steps(const launch::Plan& plan,
                                               const Allocation& allocation,
                                               const fs::path& runs_dir) {
  std::vector<Step> steps;
  for (const auto& run : plan.runs)
    steps.push_back({(runs_dir / "RUN").string(), run.spec.devices.nodes});
  return argv_of(allocation, steps);
}

std::optional<StepEnd> step_end(const RunFolder& folder) {
  const fs::path path = folder.path() / kExitFile;
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  const auto text = read_text(path);
  auto news = text ? parse_exit(*text) : std::nullopt;
  if (!news) return std::nullopt;
  return StepEnd{std::move(*news),
                 std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec};
}

Result<std::string> stop_step(const RunFolder& folder, const std::string& job,
                              wire::StopMode mode) {
  const auto told = ask_program("squeue", steps_of_words(job));
  if (!told) return pass(told);
  const std::string step = find_step(*told, folder.id());
  if (step.empty()) {
    const auto written = write_text_atomically(folder.path() / kExitFile,
                                               "CANCELLED by " + std::to_string(::getuid()) + "\n");
    if (!written) return pass(written);
    return "taken out before it began";
  }
  std::vector<std::string> words{step};
  // The agents save a checkpoint and leave.
  if (mode == wire::StopMode::kGraceful) words.insert(words.begin(), "--signal=USR2");
  const auto sent = ask_program("scancel", std::move(words));
  if (!sent) return pass(sent);
  return "stopping";
}

}  // namespace ringside::slurm
