// The last answer of squeue, shared by all windows and commands of a user on this machine, so that
// squeue is called at most twice a minute however many are open, and less often while it fails. A
// value with pure rules, and the functions that read and write its file; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "gui/slurm/job_state.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::slurm {

struct QueueFile {
  std::int64_t asked_wall_ns = 0;     ///< 0: never
  std::int64_t answered_wall_ns = 0;  ///< start of the call whose answer is `queue`
  int failures = 0;                   ///< number of failed calls in a row
  std::string problem;                ///< why the last call failed; empty: it succeeded
  Queue queue{};                      ///< the last answer
};

/// Whether it is time to call squeue: 30 s after an answer, with the pause doubled after each
/// failure up to ten minutes; also if the clock was set back.
bool is_due(const QueueFile& file, std::int64_t now_wall_ns);

QueueFile after_answer(std::string_view squeue, std::int64_t now_wall_ns);
/// The file after a failed call; keeps the last answer.
QueueFile after_failure(QueueFile file, std::string problem, std::int64_t now_wall_ns);

std::string to_text(const QueueFile& file);
/// An empty QueueFile if the text is not one.
QueueFile parse_queue_file(const std::string& text);

/// The queue of the cluster that this run is on. For a copied run this is the queue that was copied
/// with it from the other machine.
QueueFile queue_of(const runlog::RunFolder& folder);
/// What is known about the jobs of these runs, as text. Other jobs of this user are left out.
std::string queue_about(const std::filesystem::path& runs_dir);
/// Stores the queue file of the machine that these runs are copied from. `text` as from to_text();
/// empty: that machine knows nothing. Returns whether the file changed.
Result<bool> keep_copied_queue(const std::filesystem::path& runs_dir, const std::string& text);

QueueFile read_queue_file();
void write_queue_file(const QueueFile& file);
/// Sets the state of a job until squeue is called again.
void note_state(const std::string& job, JobReport report);

}  // namespace ringside::slurm
