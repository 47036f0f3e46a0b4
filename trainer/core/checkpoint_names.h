// How checkpoints are called, which is the newest, and which are to go. Pure: the caller lists the
// folder.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::core {

/// "epoch_003.pt" after the third epoch, that is for epoch 2: files carry the number that people
/// are shown. With `ranks` above 0 "4ranks_epoch_003.pt", for runs that are compared by their size.
std::string epoch_checkpoint_name(Epoch last_completed, std::int64_t ranks = 0);
/// "step_000123.pt": taken in the middle of an epoch because checkpoint.every_steps says so.
std::string step_checkpoint_name(Step steps_done);
/// "stop_step_000123.pt": taken on a request to stop, when 123 optimizer steps were done.
std::string stop_checkpoint_name(Step steps_done);

/// The one of the best validation; neither counted nor deleted with the others, nor the newest.
inline constexpr std::string_view kBestCheckpointName = "best.pt";

/// The order of a file that cannot be read: it may be the newest.
inline constexpr std::int64_t kUnreadableOrder = std::numeric_limits<std::int64_t>::max();

/// A file of the checkpoint folder.
struct CheckpointFile {
  std::string name;             ///< without folder
  std::int64_t written_ns = 0;  ///< modification time
  std::int64_t order = 0;  ///< 1: the first of its folder, as the file itself says; 0: it does not
};

/// True for the three numbered names above and nothing else: half-written and foreign files are
/// left alone.
bool is_checkpoint_name(std::string_view name);

/// Ends the name of a file that is being written; when that is killed, it stays.
inline constexpr std::string_view kDraftSuffix = ".unfinished";
/// True for a draft of one of ours: "epoch_003.pt.a1B2c3.unfinished".
bool is_checkpoint_draft(std::string_view name);

/// Checkpoints to resume from, best first: what cannot be read, since it may be the newest; the
/// others by their order; older than these what says none, by time and then by the name's number.
std::vector<std::string> newest_checkpoints(const std::vector<CheckpointFile>& files);

/// Names to delete so that the `keep` last written remain; keep <= 0 keeps all. What cannot be read
/// neither counts nor goes.
std::vector<std::string> surplus_checkpoints(const std::vector<CheckpointFile>& files,
                                             std::int64_t keep);

}  // namespace ringside::core
