// What squeue said last, for all windows and commands of a user on this machine: it is asked at
// most twice a minute however many of them are open, and less often while it does not answer. A
// value with pure rules, and the calls that read and write its file; any thread.
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
  std::int64_t answered_wall_ns = 0;  ///< what `queue` is of: when it was asked that answered last
  int failures = 0;                   ///< in a row
  std::string problem;                ///< why it did not answer the last time
  Queue queue{};                      ///< of the last answer
};

/// Whether it is time to ask: 30 s after an answer, twice as long after each failure, ten minutes
/// at most. A clock that was set back does not hold it up.
bool is_due(const QueueFile& file, std::int64_t now_wall_ns);

QueueFile after_answer(std::string_view squeue, std::int64_t now_wall_ns);
/// What was known stays.
QueueFile after_failure(QueueFile file, std::string problem, std::int64_t now_wall_ns);

std::string to_text(const QueueFile& file);
/// Nothing known where it is not one.
QueueFile parse_queue_file(const std::string& text);

/// What the Slurm of this run said: of a copy that of the machine which it is of.
QueueFile queue_of(const runlog::RunFolder& folder);
/// The run is a copy: this machine's Slurm knows nothing of it. By its mark, or, where an older
/// version made it, by the answer of that machine's Slurm beside it.
bool is_copy(const runlog::RunFolder& folder);
/// What is known on the machine of these copies; `text` as of to_text(), empty: nothing is. Whether
/// that is new.
Result<bool> keep_copied_queue(const std::filesystem::path& runs_dir, const std::string& text);

QueueFile read_queue_file();
void write_queue_file(const QueueFile& file);
/// Notes a state for the meantime until squeue is asked again.
void note_state(const std::string& job, JobNews news);

}  // namespace ringside::slurm
