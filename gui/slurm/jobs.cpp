#include "gui/slurm/jobs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "gui/launch/paths.h"
#include "gui/launch/start/ask_stop.h"
#include "gui/launch/start/start.h"
#include "gui/slurm/ask_program.h"
#include "gui/slurm/job_ends.h"
#include "gui/slurm/queue_file.h"
#include "gui/slurm/send_job.h"
#include "gui/slurm/steps.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/copy_mark.h"

namespace ringside::slurm {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

/// Time without an answer before the run shows a problem: squeue is asked every 30 s and may fail
/// once or twice.
constexpr std::int64_t kSilentNs = 120'000'000'000;
/// How long a job may take to end after its agents have.
constexpr std::int64_t kEndingNs = 10'000'000'000;

Result<JobPlaces> places_of(const fs::path& folder) {
  const auto sbatch = RINGSIDE_TRY(find_sbatch());
  const auto agent = RINGSIDE_TRY(launch::find_program("ringside-agent"));
  JobPlaces places{sbatch, folder.string(), agent.string()};
  RINGSIDE_TRY(check_places(places));
  return places;
}

/// Submits the run and returns the job number. The folder gets its files before anybody sees it as
/// a run without an agent.
Result<std::string> send(const RunFolder& folder, const JobPlaces& places,
                         const messages::RunSpec& spec, const JobFile& file,
                         const std::string& after, const std::string& earlier) {
  auto job = send_job(sbatch_argv(places, file.options, spec, after),
                      job_environment(places, file.options), earlier);
  if (!job) return pass(job);
  JobFile submitted = file;
  submitted.job = *job;
  note_state(*job, {"PENDING", "None", {}});
  const auto written = write_job_file(folder, submitted);
  if (written) return job;
  // A job whose number could not be stored is cancelled, since it could neither be followed nor
  // stopped.
  const bool out = ask_program("scancel", {*job}).has_value();
  return failure(written.error().message +
                 (out ? "; job " + *job + " was taken out of the queue"
                      : "; job " + *job + " is in the queue: scancel " + *job + " takes it out"));
}

Result<void> prepare(const RunFolder& folder, const JobFile& file) {
  const auto script = write_text_atomically(folder.path() / kScriptFile, kScript, 0700);
  return script ? write_job_file(folder, file) : script;
}

JobReport cancelled_here() { return {"CANCELLED by " + std::to_string(::getuid()), "None", {}}; }

/// Removes all jobs from the queue, the newest first, so that none starts because the one before it
/// ends.
void take_back(const std::vector<std::string>& jobs) {
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
    if (ask_program("scancel", {*job})) note_state(*job, cancelled_here());
  }
}

/// Records that sbatch refused the job, so that it does not count as being submitted.
void note_refused(const RunFolder& folder, JobFile file) {
  file.end = JobReport{"CANCELLED", "None", {}};
  (void)write_job_file(folder, file);
}

/// Modification time; 0: the file does not exist.
std::int64_t written_wall_ns(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return 0;
  return ringside::written_wall_ns(status);
}

/// Whether the job belongs to a Slurm other than this machine's.
bool is_foreign(const RunFolder& folder, const JobFile& file) {
  return file.is_elsewhere || runlog::is_copy(folder);
}

Result<void> queued_already(const RunFolder& folder, const RunJob& job) {
  return bad_request("run " + folder.id() + " is in Slurm's queue already" +
                     (job.job.empty() ? "" : ", as job " + job.job));
}

/// Current phase of the job according to the controller; nothing if it does not answer.
std::optional<JobPhase> ask_phase(const std::string& job) {
  const auto told = ask_program("scontrol", scontrol_words(job));
  if (!told)
    return knows_no_job(told.error().message) ? std::optional(JobPhase::kCut) : std::nullopt;
  const auto report = parse_scontrol(*told);
  return report ? std::optional(phase_of(*report)) : std::nullopt;
}

/// Returns a bad request unless the job is over. Asks Slurm, because the last answer of squeue may
/// be from before the end, and waits for a job that is just ending.
Result<void> refuse_unless_over(const RunFolder& folder) {
  const auto job = job_of(folder);
  if (!job || is_over(job->phase)) return {};
  const std::int64_t deadline_ns = mono_now_ns() + kEndingNs;
  while (!job->job.empty()) {
    const auto phase = ask_phase(job->job);
    if (phase && is_over(*phase)) return {};
    if (phase != JobPhase::kRunning || mono_now_ns() > deadline_ns) break;
    pause_ns(250'000'000);
  }
  return queued_already(folder, *job);
}

/// Settings that are stored in the folder from now on.
Result<messages::RunSpec> kept_settings(const RunFolder& folder,
                                        const std::optional<messages::RunSpec>& changed) {
  if (changed) {
    RINGSIDE_TRY(write_text_atomically(folder.spec_path(), messages::to_toml(*changed)));
  }
  const auto text = RINGSIDE_TRY(read_text(folder.spec_path()));
  return messages::parse_run_spec(text, folder.spec_path().string());
}

/// Claims the run for submission and writes its files, under a lock: if two windows try, one
/// submits it. Returns the settings of the run.
Result<messages::RunSpec> claim(const RunFolder& folder, const JobFile& before, const JobFile& file,
                                const std::optional<messages::RunSpec>& spec) {
  const auto lock = runlog::FolderLock::take(folder);
  if (!lock) return pass(lock);
  const auto now = read_job_file(folder);
  if (!now || now->job != before.job || now->submitted_wall_ns != before.submitted_wall_ns)
    return bad_request("run " + folder.id() + " is just being submitted by another program");
  auto settings = kept_settings(folder, spec);
  if (!settings) return settings;
  RINGSIDE_TRY(prepare(folder, file));
  return settings;
}

Result<launch::Started> step_again(const RunFolder& folder, const JobFile& before,
                                   const std::optional<messages::RunSpec>& spec,
                                   const Clock& clock) {
  const auto allocation = own_allocation();
  if (!allocation) {
    const std::string again = before.srun_step.empty() ? ""
                                                       : "; with srun a task for each rank: `srun "
                                                         "... ringside resume " +
                                                             folder.id() + "`";
    return bad_request("run " + folder.id() + " was a step inside Slurm job " + before.job +
                       ": resume it inside an allocation, `salloc` makes one" + again);
  }
  const auto settings = RINGSIDE_TRY(kept_settings(folder, spec));
  return start_step_again(folder, settings, before.options, *allocation, clock);
}

}  // namespace

Result<std::string> find_sbatch() {
  auto found = launch::find_on_path("sbatch");
  if (found) return found;
  return bad_request(
      "this machine has no Slurm: there is no program sbatch in PATH; run this where jobs are "
      "submitted, on a login node");
}

bool has_cluster() {
  const auto sbatch = find_sbatch();
  if (!sbatch) return false;
  for (const char* name : {"SLURM_CONF", "SLURM_CONF_SERVER"}) {
    if (const char* set = std::getenv(name); set != nullptr && *set != '\0') return true;
  }
  std::error_code ignored;
  // The sbatch in PATH may be a link to where the site installed it.
  const fs::path real = fs::canonical(*sbatch, ignored);
  const auto beside = [](const fs::path& program) {
    return program.parent_path() / "../etc/slurm.conf";
  };
  for (const fs::path& path :
       {fs::path("/etc/slurm/slurm.conf"), fs::path("/run/slurm/conf/slurm.conf"),
        fs::path("/etc/slurm-llnl/slurm.conf"), beside(*sbatch), beside(real)}) {
    if (fs::exists(path, ignored)) return true;
  }
  return false;
}

Result<launch::Started> submit(std::vector<launch::LockedFolder> runs, const launch::Plan& plan,
                               const Options& options, bool in_turn, const Clock& clock,
                               const launch::Cancelled& cancelled) {
  RINGSIDE_TRY(check_options(options));
  launch::Started started;
  std::vector<std::string> jobs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (cancelled && cancelled()) {
      take_back(jobs);
      return failure("no longer wanted: nothing is left in Slurm's queue");
    }
    const RunFolder folder = runs[i].folder;
    const JobFile file{{}, options, clock.wall_ns(), {}};
    const auto ready = prepare(folder, file);
    const auto places = ready ? places_of(folder.path()) : Result<JobPlaces>(pass(ready));
    // The lock is released because the job's agent takes it, perhaps before sbatch has returned.
    { const auto released = std::move(runs[i].lock); }
    const std::string after = in_turn && i > 0 ? jobs.back() : std::string();
    const auto job = places ? send(folder, *places, plan.runs[i].spec, file, after, {})
                            : Result<std::string>(pass(places));
    if (!job) {
      note_refused(folder, file);
      take_back(jobs);
      return pass(job);
    }
    jobs.push_back(*job);
    started.folders.push_back(folder);
  }
  return started;
}

Result<void> refuse_queued(const std::vector<launch::LockedFolder>& runs) {
  for (const launch::LockedFolder& run : runs) {
    const auto job = job_of(run.folder);
    if (job && !is_over(job->phase)) return queued_already(run.folder, *job);
  }
  return {};
}

Result<launch::Started> submit_again(const RunFolder& folder,
                                     const std::optional<messages::RunSpec>& spec,
                                     const Clock& clock) {
  const auto before = read_job_file(folder);
  if (!before) return bad_request("run " + folder.id() + " is not a Slurm job");
  if (runlog::is_copy(folder)) {
    return bad_request("run " + folder.id() +
                       " is a copy of one on another machine: resume it there");
  }
  RINGSIDE_TRY(check_options(before->options));
  if (before->is_step) return step_again(folder, *before, spec, clock);
  RINGSIDE_TRY(refuse_unless_over(folder));
  const auto places = RINGSIDE_TRY(places_of(folder.path()));
  const JobFile file{{}, before->options, clock.wall_ns(), {}};
  const auto settings = RINGSIDE_TRY(claim(folder, *before, file, spec));
  const auto job = send(folder, places, settings, file, {}, before->job);
  if (job) return launch::Started{{folder}, 0};
  (void)write_job_file(folder, *before);
  return pass(job);
}

Result<std::vector<std::string>> planned_argv(const messages::RunSpec& spec, const Options& options,
                                              const fs::path& runs_dir, const std::string& after) {
  RINGSIDE_TRY(check_options(options));
  const auto places = RINGSIDE_TRY(places_of(runs_dir / "RUN"));
  return sbatch_argv(places, options, spec, after);
}

RunJob run_job(std::string job, JobReport report, bool of_own_srun) {
  RunJob run;
  run.phase = report.state == "REVOKED" ? JobPhase::kPassedOn : phase_of(report);
  run.system = "Slurm";
  if (!job.empty()) run.item = "job " + job;
  run.nodes = report.nodes;
  run.words = words_of(report);
  run.output = kOutputFile;
  run.once = of_own_srun;
  run.tells = run.phase != JobPhase::kFinished && report.state != "FAILED" && !job.empty();
  run.job = std::move(job);
  run.report = std::move(report);
  return run;
}

std::optional<RunJob> job_of(const RunFolder& folder) {
  const auto file = read_job_file(folder);
  if (!file) return std::nullopt;
  const std::int64_t now_ns = SystemClock().wall_ns();
  JobReport report;
  std::int64_t told_ns = 0;
  // Whether submission was abandoned: whoever submitted the job was killed before sbatch had
  // answered.
  const bool given_up = file->job.empty() && now_ns - file->submitted_wall_ns > kForgetNs;
  if (given_up) report = {kForgotten, {}, {}};
  if (file->end) report = *file->end;
  // The queue is read even after a recorded end, since the job may have been requeued by hand, but
  // not for copies whose jobs have ended.
  const bool copied = runlog::is_copy(folder);
  const bool over_there = file->end && copied;
  const QueueFile told = over_there || file->is_elsewhere ? QueueFile{} : queue_of(folder);
  if (const auto found = told.queue.find(file->job); found != told.queue.end()) {
    report = found->second;
    told_ns = told.answered_wall_ns;
  }
  if (const auto over = file->is_step ? step_end(folder) : std::nullopt) {
    report = over->report;
    told_ns = over->reported_wall_ns;
  }
  if (copied) report = of_elsewhere(std::move(report));
  if (file->is_step && phase_of(report) == JobPhase::kRunning && !step_begun(folder))
    report = {"PENDING", kNotBegun, report.nodes};
  RunJob job = run_job(file->job, std::move(report), !file->srun_step.empty());
  job.reported_wall_ns = told_ns;
  for (const auto& written :
       {folder.agent_path(), folder.path() / runlog::kCopyMarkFile, folder.log_path(0)})
    job.agent_wall_ns = std::max(job.agent_wall_ns, written_wall_ns(written));
  if (told.failures > 0 && now_ns - told.answered_wall_ns > kSilentNs) {
    job.problem = told.problem;
    job.silent_wall_ns = told.answered_wall_ns;
  }
  return job;
}

bool is_open(const RunFolder& folder) { return open_job(folder).has_value(); }

void refresh(const fs::path& runs_dir, const launch::Cancelled& cancelled) {
  const SystemClock clock;
  QueueFile before = read_queue_file();
  if (!is_due(before, clock.wall_ns())) return;
  auto open = open_jobs(runs_dir, clock.wall_ns());
  if (open.empty()) return;
  QueueFile claimed = before;
  claimed.asked_wall_ns = clock.wall_ns();
  write_queue_file(claimed);  // keeps other processes from asking at the same time
  find_numbers(open, cancelled);
  const auto told = ask_program("squeue", squeue_words(std::to_string(::getuid())), cancelled);
  if (!told) {
    write_queue_file(after_failure(std::move(before), told.error().message, clock.wall_ns()));
    return;
  }
  QueueFile after = after_answer(*told, clock.wall_ns());
  // The answer may predate what happened during the call, so it counts as of the call's start.
  after.answered_wall_ns = claimed.asked_wall_ns;
  write_queue_file(after);
  keep_ends(open, before.queue, after.queue, clock.wall_ns(), cancelled);
}

Result<std::string> ask_stop(const RunFolder& folder, wire::StopMode mode) {
  const auto file = read_job_file(folder);
  const auto asked = launch::ask_stop(folder, mode);
  if (asked || !file || file->job.empty() || is_foreign(folder, *file)) return asked;
  if (file->is_step) return step_end(folder) ? asked : stop_step(folder, *file, mode);
  std::error_code ignored;
  const auto job = job_of(folder);
  const bool works = fs::exists(folder.agent_path(), ignored) && !(job && job->waits());
  if (works && mode == wire::StopMode::kGraceful) {
    // The signal goes to the steps of the job, which are the agents: they save a checkpoint and
    // exit.
    const auto sent = ask_program("scancel", {"--signal=USR2", file->job});
    if (sent) return "stopping";
    // The job has returned to the queue since squeue was asked: there is no process to signal.
    if (sent.error().message.find("pending") == std::string::npos) return pass(sent);
  }
  RINGSIDE_TRY(ask_program("scancel", {file->job}));
  note_state(file->job, cancelled_here());
  return "taken out of Slurm's queue";
}

void cancel(const RunFolder& folder) {
  const auto file = read_job_file(folder);
  if (file && !file->is_step && !file->job.empty() && !is_foreign(folder, *file))
    (void)ask_program("scancel", {"--quiet", file->job});
}

}  // namespace ringside::slurm
