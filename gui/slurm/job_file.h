// The file `place.json` in the folder of a run that Slurm has: which job it is, with which options
// it was submitted, and how Slurm said that it ended. An older `slurm.json` reads the same.
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
  std::optional<JobNews> end;  ///< as Slurm reported it; then Slurm is not asked any more
  /// The job is an allocation that a person holds; the run is a step in it, and does not end it.
  bool is_step = false;
  /// The job is of another cluster, from which the run was imported: nobody asks or ends it here.
  bool is_elsewhere = false;
  /// "12.0": the step is a person's own srun, whose tasks are the ranks. Empty: it is one of ours,
  /// and has the name of the run.
  std::string srun_step{};
};

/// Nothing where the run is not a job of Slurm, or the file cannot be read.
std::optional<JobFile> read_job_file(const runlog::RunFolder& folder);
Result<void> write_job_file(const runlog::RunFolder& folder, const JobFile& file);
/// The run is not a job of Slurm from then on.
Result<void> remove_job_file(const runlog::RunFolder& folder);

/// The text of it, and back; nothing where it is not one, or the job is not a number: it goes into
/// command lines.
std::string to_text(const JobFile& file);
std::optional<JobFile> parse_job_file(const std::string& text);

}  // namespace ringside::slurm
