#include "gui/slurm/steps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "gui/launch/detached.h"
#include "gui/launch/paths.h"
#include "gui/launch/start/ask_stop.h"
#include "gui/launch/start/start.h"
#include "gui/slurm/ask_program.h"
#include "gui/slurm/queue_file.h"
#include "protocol/base/clock.h"
#include "protocol/host/descriptor.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"

namespace ringside::slurm {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

// Time until Slurm lists a step that has begun, because srun has to start first.
constexpr std::int64_t kListedNs = 10'000'000'000;

/// The command line that runs the steps in order. Returns a bad request if a node is missing or a
/// path must not go into an environment.
Result<std::vector<std::string>> argv_of(const Allocation& allocation,
                                         const std::vector<Step>& steps) {
  const auto env = RINGSIDE_TRY(launch::find_on_path("env"));
  RINGSIDE_TRY(launch::find_on_path("srun"));
  const auto agent = RINGSIDE_TRY(launch::find_program("ringside-agent"));
  for (const Step& step : steps) {
    RINGSIDE_TRY(check_places({{}, step.folder, agent.string()}));
    if (step.nodes > allocation.nodes) {
      return bad_request("the run needs " + std::to_string(step.nodes) + " nodes, and Slurm job " +
                         allocation.job + ", inside which this is, has " +
                         std::to_string(allocation.nodes));
    }
  }
  std::vector<std::string> argv{env};
  for (std::string& word : steps_words(allocation, agent.string(), steps))
    argv.push_back(std::move(word));
  return argv;
}

/// Writes the files of a step that has not begun.
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

/// Starts one process for all steps; their agents take the locks.
Result<void> start(const Allocation& allocation, const std::vector<std::string>& argv,
                   const RunFolder& first) {
  note_state(allocation.job, {"RUNNING", "None", allocation.node_list});
  const auto pid = launch::start_detached(argv, first.path() / kOutputFile);
  if (!pid) return pass(pid);
  return {};
}

std::string taken_out() { return "CANCELLED by " + std::to_string(::getuid()) + "\n"; }

/// Removes a step so that it never begins; false: it has begun, which creates the same file.
Result<bool> take_out(const RunFolder& folder) {
  const fs::path path = folder.path() / kExitFile;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0 && errno == EEXIST) return false;
  const std::string text = taken_out();
  if (file.get() < 0 ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return failure(path.string() + " cannot be written: " + std::strerror(errno));
  return true;
}

/// Whether the step has begun and no end is recorded.
bool runs_still(const RunFolder& folder) {
  if (!step_begun(folder)) return false;
  const auto job = job_of(folder);
  return job && !is_over(job->phase);
}

Result<std::string> signal_step(const std::string& step, const JobFile& file, wire::StopMode mode) {
  // The agents save a checkpoint and exit. In a person's own srun the signalled step contains the
  // command too, which still has to report how the run ended; the agents take a TERM after that as
  // "stop now".
  std::vector<std::vector<std::string>> calls{{"--signal=USR2", step}};
  if (mode == wire::StopMode::kNow && !file.srun_step.empty()) {
    calls.push_back({"--signal=TERM", step});
  } else if (mode == wire::StopMode::kNow) {
    calls = {{step}};
  }
  for (auto& words : calls) {
    RINGSIDE_TRY(ask_program("scancel", std::move(words)));
  }
  return "stopping";
}

/// Waits until the step's agent has started. A short attempt may already be over by then.
Result<void> wait_for_agent(const RunFolder& folder, std::int32_t attempts_before) {
  const std::int64_t deadline_ns = mono_now_ns() + launch::kComeUpNs;
  std::error_code ignored;
  while (!fs::exists(folder.agent_path(), ignored) && mono_now_ns() < deadline_ns) {
    if (step_end(folder)) {
      if (folder.attempts() > attempts_before) return {};
      return failure("the step ended before the run started; what it printed is in " +
                     (folder.path() / kOutputFile).string());
    }
    pause_ns(5'000'000);
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

Result<launch::Started> start_step_folders(std::vector<launch::LockedFolder> runs,
                                           const launch::Plan& plan, const Options& options,
                                           const Allocation& allocation, const Clock& clock,
                                           const launch::Cancelled& cancelled) {
  if (cancelled && cancelled()) return failure("no longer wanted: nothing was started");
  std::vector<Step> steps;
  for (std::size_t i = 0; i < runs.size(); ++i)
    steps.push_back({runs[i].folder.path().string(), plan.runs[i].spec.devices.nodes});
  const auto argv = RINGSIDE_TRY(argv_of(allocation, steps));
  launch::Started started;
  Result<void> ready;
  for (auto& run : runs) {
    if (ready) ready = prepare(run.folder, allocation, options, clock);
    started.folders.push_back(run.folder);
    const auto released = std::move(run.lock);
  }
  if (ready) ready = start(allocation, argv, started.folders.front());
  if (ready) return started;
  for (const RunFolder& folder : started.folders) (void)take_out(folder);
  return pass(ready);
}

void wait_for_ends(const std::vector<RunFolder>& runs, const launch::Cancelled& cancelled) {
  const std::int64_t deadline_ns = mono_now_ns() + launch::kComeUpNs;
  for (const RunFolder& folder : runs) {
    while (runs_still(folder) && mono_now_ns() < deadline_ns && !(cancelled && cancelled()))
      pause_ns(5'000'000);
  }
}

Result<launch::Started> start_step_again(const RunFolder& folder, const messages::RunSpec& settings,
                                         const Options& options, const Allocation& allocation,
                                         const Clock& clock) {
  auto lock = RINGSIDE_TRY(runlog::FolderLock::take(folder));
  const auto argv =
      RINGSIDE_TRY(argv_of(allocation, {{folder.path().string(), settings.devices.nodes}}));
  // The file is a leftover of an agent that died.
  std::error_code ignored;
  fs::remove(folder.agent_path(), ignored);
  const std::int32_t attempts = folder.attempts();
  RINGSIDE_TRY(prepare(folder, allocation, options, clock));
  { const auto released = std::move(lock); }  // the step's agent takes the lock
  RINGSIDE_TRY(start(allocation, argv, folder));
  RINGSIDE_TRY(wait_for_agent(folder, attempts));
  return launch::Started{{folder}, 0};
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
  auto report = text ? parse_exit(*text) : std::nullopt;
  if (!report) return std::nullopt;
  return StepEnd{std::move(*report), ringside::written_wall_ns(file)};
}

bool step_begun(const RunFolder& folder) {
  std::error_code ignored;
  return fs::exists(folder.path() / kExitFile, ignored);
}

Result<std::string> stop_step(const RunFolder& folder, const JobFile& file, wire::StopMode mode) {
  const std::int64_t deadline_ns = mono_now_ns() + kListedNs;
  for (;;) {
    const auto told = RINGSIDE_TRY(ask_program("squeue", steps_of_words(file.job)));
    const std::string step = find_step(told, folder.id(), file.srun_step);
    if (!step.empty()) return signal_step(step, file, mode);
    const auto out = RINGSIDE_TRY(take_out(folder));
    if (out) return "taken out before it began";
    if (step_end(folder)) return "it has ended";
    if (mono_now_ns() > deadline_ns) break;
    pause_ns(100'000'000);
    if (auto asked = launch::ask_stop(folder, mode)) return asked;
  }
  // Whoever started the step was killed, so nobody else records its end.
  RINGSIDE_TRY(write_text_atomically(folder.path() / kExitFile, taken_out()));
  return "Slurm does not have it any more";
}

}  // namespace ringside::slurm
