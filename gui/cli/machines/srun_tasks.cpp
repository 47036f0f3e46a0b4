#include "gui/cli/machines/srun_tasks.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "gui/cli/print/terminal.h"
#include "gui/launch/paths.h"

namespace ringside::cli {

Result<std::optional<TaskPart>> task_part(const std::filesystem::path& runs_dir,
                                          const Interrupts& interrupts, bool detach,
                                          const std::string& elsewhere) {
  auto task = RINGSIDE_TRY(slurm::own_task());
  if (!task) return std::optional<TaskPart>();
  interrupts.merge_bursts();
  // Ignored here: Slurm sends signals meant for the agent (--signal=USR1@120) to every process of
  // the step. The agent also gets SIGHUP and SIGQUIT and stops the run, so that none is left
  // behind.
  for (const int signal : {SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  TaskPart part{*task, nullptr};
  if (part.task.rank > 0) return std::optional(std::move(part));
  // The meeting is created before anything can fail, so that the other tasks exit if no run comes.
  part.meeting = std::make_shared<slurm::TaskRendezvous>(runs_dir, part.task);
  if (detach) {
    return bad_request(
        "--detach inside srun: the step ends with its tasks, and the run with it; "
        "leave it out, or put & behind srun");
  }
  if (!elsewhere.empty()) {
    return bad_request(elsewhere + " inside srun: " + slurm::words_of(*task) +
                       " of a run here; leave it out, or call ringside without srun");
  }
  return std::optional(std::move(part));
}

Result<int> join_run(const std::filesystem::path& runs_dir, const SlurmTask& task,
                     const Interrupts& interrupts) {
  const auto agent = RINGSIDE_TRY(launch::find_program("ringside-agent"));
  const auto runs = slurm::wait_for_runs(runs_dir, task, [&] { return interrupts.any(); });
  if (!runs) return not_done(interrupts, runs.error(), "this task of srun joined no run");
  // The task of rank 0 has reported the reason, and srun exits with its code.
  if (runs->empty()) return 0;
  std::vector<std::string> argv = slurm::task_argv(agent.string(), task, *runs);
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(words.front(), words.data());
  return failure("cannot run " + agent.string() + ": " + std::strerror(errno));
}

Result<void> refuse_tasks(const std::string& instead) {
  const auto task = RINGSIDE_TRY(slurm::own_task());
  if (!task) return {};
  return bad_request(slurm::words_of(*task) + ", and this is not for a rank: " + instead);
}

}  // namespace ringside::cli
