#include "gui/slurm/job_ends.h"

#include <system_error>

#include "gui/launch/paths.h"
#include "gui/slurm/ask_program.h"
#include "gui/slurm/send_job.h"
#include "gui/slurm/steps.h"
#include "protocol/runlog/copy_mark.h"

namespace ringside::slurm {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

/// Nothing if this site keeps no accounting records, or none of this job.
Result<std::optional<JobReport>> ask_accounts(const std::string& job,
                                              const launch::Cancelled& cancelled) {
  if (!launch::find_on_path("sacct")) return std::optional<JobReport>();
  const auto told = ask_program("sacct", sacct_words(job), cancelled);
  if (told) return parse_sacct(*told, job);
  if (told.error().message.find("accounting storage is disabled") != std::string::npos)
    return std::optional<JobReport>();
  return pass(told);
}

/// Nothing is stored if the run was resubmitted meanwhile as another job, or if another window has
/// already stored the end.
void keep_end(const RunFolder& folder, const std::string& job, JobReport end) {
  auto file = read_job_file(folder);
  if (!file || file->job != job || file->end) return;
  file->end = std::move(end);
  (void)write_job_file(folder, *file);  // if writing fails, Slurm is asked once more later
}

}  // namespace

std::optional<JobFile> open_job(const RunFolder& folder) {
  auto file = read_job_file(folder);
  if (!file || file->end || file->is_elsewhere) return std::nullopt;
  // The exit file of a step is more specific than the state of its allocation.
  if (file->is_step && step_end(folder)) return std::nullopt;
  return *std::move(file);
}

OpenJobs open_jobs(const fs::path& runs_dir, std::int64_t now_wall_ns) {
  OpenJobs open;
  std::error_code error;
  for (fs::directory_iterator it(runs_dir, error), end; !error && it != end; it.increment(error)) {
    const RunFolder folder(it->path());
    auto file = open_job(folder);
    if (file && !runlog::is_copy(folder) &&
        (!file->job.empty() || now_wall_ns - file->submitted_wall_ns > kForgetNs))
      open.emplace_back(folder, std::move(*file));
  }
  return open;
}

void find_numbers(OpenJobs& open, const launch::Cancelled& cancelled) {
  for (auto& [folder, file] : open) {
    if (!file.job.empty() || (cancelled && cancelled())) continue;
    const auto job = find_job(job_name(folder.id()), {}, cancelled);
    if (!job) continue;
    file.job = *job;
    if (job->empty()) file.end = JobReport{kForgotten, {}, {}};
    (void)write_job_file(folder, file);  // if writing fails, Slurm is asked once more later
  }
  std::erase_if(open, [](const auto& one) { return one.second.job.empty(); });
}

Result<JobReport> ask_for_end(const std::string& job, const launch::Cancelled& cancelled) {
  const auto kept = ask_accounts(job, cancelled);
  if (kept && *kept) return **kept;
  const auto told = ask_program("scontrol", scontrol_words(job), cancelled);
  if (told) {
    if (auto report = parse_scontrol(*told)) return *std::move(report);
    return failure("scontrol did not report the state of job " + job);
  }
  if (!knows_no_job(told.error().message)) return pass(told);
  // The accounting records are more specific than the controller, once sacct answers.
  if (!kept) return pass(kept);
  return JobReport{kForgotten, {}, {}};
}

// An end counts only after two answers: a job that is being requeued passes through final states.
void keep_ends(const OpenJobs& open, const Queue& before, const Queue& now, std::int64_t wall_ns,
               const launch::Cancelled& cancelled) {
  for (const auto& [folder, file] : open) {
    if (const auto found = now.find(file.job); found != now.end()) {
      const auto earlier = before.find(file.job);
      const bool said = earlier != before.end() && is_over(phase_of(earlier->second));
      if (said && is_over(phase_of(found->second))) keep_end(folder, file.job, found->second);
      continue;
    }
    if (wall_ns - file.submitted_wall_ns < kForgetNs) continue;
    if (cancelled && cancelled()) return;
    const auto report = ask_for_end(file.job, cancelled);
    if (report && is_over(phase_of(*report))) keep_end(folder, file.job, *report);
  }
}

Result<void> disown_job(const RunFolder& folder) {
  auto file = read_job_file(folder);
  if (file && (file->end || (file->is_step && step_end(folder)))) {
    file->is_elsewhere = true;
    return write_job_file(folder, *file);
  }
  return remove_job_file(folder);
}

}  // namespace ringside::slurm
