// Names of checkpoints, their order, and which ones to delete. Pure: the caller lists the folder.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::core {

/// "epoch_003.pt" after the third epoch, epoch 2: names have the number that people are shown. With
/// `ranks` above 0 "4ranks_epoch_003.pt", for comparing runs of different sizes.
std::string epoch_checkpoint_name(Epoch last_completed, std::int64_t ranks = 0);
/// "step_000123.pt": saved within an epoch because of checkpoint.every_steps.
std::string step_checkpoint_name(Step steps_done);
/// "stop_step_000123.pt": saved at a stop request, after 123 optimizer steps.
std::string stop_checkpoint_name(Step steps_done);

/// The checkpoint of the best validation; not counted, deleted or resumed from like the others.
inline constexpr std::string_view kBestCheckpointName = "best.pt";

/// Order of a file that cannot be read: it may be the newest.
inline constexpr std::int64_t kUnreadableOrder = std::numeric_limits<std::int64_t>::max();

struct CheckpointFile {
  std::string name;             ///< without folder
  std::int64_t written_ns = 0;  ///< modification time
  std::int64_t order = 0;  ///< number stored in the file, from 1 in each folder; 0: it has none
};

/// True only for the three numbered names above; incomplete and foreign files are not touched.
bool is_checkpoint_name(std::string_view name);

/// Suffix of a file that is being written; it remains if the process is killed.
inline constexpr std::string_view kDraftSuffix = ".unfinished";
/// True for a draft of a checkpoint: "epoch_003.pt.a1B2c3.unfinished".
bool is_checkpoint_draft(std::string_view name);

/// Checkpoints to resume from, best first: unreadable files, since one may be the newest; then
/// files by order number; then files without one, by time and by the number in the name.
std::vector<std::string> newest_checkpoints(const std::vector<CheckpointFile>& files);

/// Names to delete so that the `keep` newest remain; keep <= 0 keeps all. Unreadable files are
/// neither counted nor deleted.
std::vector<std::string> surplus_checkpoints(const std::vector<CheckpointFile>& files,
                                             std::int64_t keep);

}  // namespace ringside::core
