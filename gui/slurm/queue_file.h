// The last answer of squeue, shared by all windows and commands of a user on this machine, so that
// it is called at most twice a minute however many of them are open, and less often while it fails.
// A value with pure rules, and the functions that read and write its file; any thread.
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
  std::int64_t answered_wall_ns = 0;  ///< when the call began that `queue` is the answer to
  int failures = 0;                   ///< in a row
  std::string problem;                ///< why the last call failed; empty: it did not
  Queue queue{};                      ///< of the last answer
};

/// Whether it is time to call squeue: 30 s after an answer, twice as long after each failure, ten
/// minutes at most; also if the clock was set back.
bool is_due(const QueueFile& file, std::int64_t now_wall_ns);

QueueFile after_answer(std::string_view squeue, std::int64_t now_wall_ns);
/// The file after a failed call; the last answer stays in it.
QueueFile after_failure(QueueFile file, std::string problem, std::int64_t now_wall_ns);

std::string to_text(const QueueFile& file);
/// An empty QueueFile if the text is not one.
QueueFile parse_queue_file(const std::string& text);

/// The queue of the cluster that this run is on. For a copied run that is the queue which was
/// copied with it from the other machine.
QueueFile queue_of(const runlog::RunFolder& folder);
/// What is known of the jobs of these runs, as text; others of this user are nobody's business.
std::string queue_about(const std::filesystem::path& runs_dir);
/// Stores the queue file of the machine that these runs are copied from; `text` as by to_text(),
/// empty: nothing is known there. Returns whether it changed.
Result<bool> keep_copied_queue(const std::filesystem::path& runs_dir, const std::string& text);

QueueFile read_queue_file();
void write_queue_file(const QueueFile& file);
/// Sets the state of a job until squeue is called again.
void note_state(const std::string& job, JobNews news);

}  // namespace ringside::slurm
