// The file `place.json` in the folder of a run that went to Slurm: its job, the options it was
// submitted with, and how Slurm said that it ended. An older `slurm.json` is read the same way.
// Described in gui/slurm/FORMAT.md. Reads and writes files; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/slurm/job_state.h"
#include "gui/slurm/options.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::slurm {

struct JobFile {
  std::string job;  ///< empty: it is being submitted
  Options options;
  std::int64_t submitted_wall_ns = 0;
  std::optional<JobReport> end;  ///< as Slurm reported it; once set, Slurm is no longer asked
  /// True if the job is an allocation that a person holds and the run a step in it: the run does
  /// not end the job.
  bool is_step = false;
  /// True if the job belongs to another cluster, from which the run was imported: nobody here asks
  /// about it or ends it.
  bool is_elsewhere = false;
  /// Number of a person's own srun step whose tasks are the ranks, such as "12.0". Empty: the step
  /// is one of ours and has the name of the run.
  std::string srun_step{};
};

/// Nothing if the run is not a Slurm job or the file cannot be read.
std::optional<JobFile> read_job_file(const runlog::RunFolder& folder);
Result<void> write_job_file(const runlog::RunFolder& folder, const JobFile& file);
/// Removes the file: the run is no longer a Slurm job.
Result<void> remove_job_file(const runlog::RunFolder& folder);

/// Converts the file to text and back; nothing if the text is not a job file, or if the job is not
/// a number, since it goes into command lines.
std::string to_text(const JobFile& file);
std::optional<JobFile> parse_job_file(const std::string& text);

}  // namespace ringside::slurm
