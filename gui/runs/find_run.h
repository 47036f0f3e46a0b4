// Finds the run folder that a person means by what they typed. Reads directory names only; any
// thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Whether a folder holds a run: its settings, or a log, which outlives settings that somebody
/// deleted.
bool holds_run(const std::filesystem::path& folder);

/// A folder in the runs folder that holds a run, with its short number.
struct ListedRun {
  runlog::RunFolder folder;
  /// Place in the order in which they came, deleted ones counted, from 1; people write #number. A
  /// copy has that of the run on its own machine, 0 while that is not known.
  int number = 0;
};

/// Holds, in the folder of a run that was copied here, the time of that in the form of an id.
inline constexpr const char* kImportedFile = "imported";

/// All of them by id, oldest first. Others are left out. A runs folder that does not exist is an
/// empty one; one that may not be read, or is not a folder, is a bad request.
Result<std::vector<ListedRun>> list_runs(const std::filesystem::path& runs_dir);

/// `text`: an id, a unique beginning of one, `last`, `#12` or `12` (at most three digits), or the
/// path of a run folder. A bad request says what is there instead.
Result<ListedRun> find_run(const std::filesystem::path& runs_dir, std::string_view text);

/// Finds a deleted run by number, id or unique beginning of an id, not by path. `last` is refused
/// if several were deleted, since their order is not known.
Result<ListedRun> find_deleted_run(const std::filesystem::path& runs_dir, std::string_view text);

/// A sentence of an agent, which knows runs by id, as people write it: "run #12" for each id that
/// is `listed` (ascending, as from list_runs).
std::string name_runs(std::string text, std::span<const ListedRun> listed);
/// Names runs as above with those of a folder, which is read only when the sentence names a run.
std::string name_runs(std::string text, const std::filesystem::path& runs_dir);

}  // namespace ringside::runs
