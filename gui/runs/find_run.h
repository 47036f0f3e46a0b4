// Finds the run folder that a person means by what they typed. Reads only directory names; any
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

/// Whether a folder holds a run: it has settings, or a log whose settings were deleted.
bool holds_run(const std::filesystem::path& folder);

/// A folder in the runs folder that holds a run, with its short number.
struct ListedRun {
  runlog::RunFolder folder;
  /// Position among all runs by age, including deleted ones, from 1; people write #number. A copy
  /// has the number of its own machine, 0 while that is not known.
  int number = 0;
};

/// Name of the file in an imported run's folder that holds the time of import, in the form of an
/// id.
inline constexpr const char* kImportedFile = "imported";

/// All runs by id, oldest first. Other folders are left out. A runs folder that does not exist is
/// empty; one that may not be read, or is not a folder, is a bad request.
Result<std::vector<ListedRun>> list_runs(const std::filesystem::path& runs_dir);

/// `text`: an id, a unique beginning of one, `last`, `#12` or `12` (at most three digits), or the
/// path of a run folder. The bad request lists existing runs.
Result<ListedRun> find_run(const std::filesystem::path& runs_dir, std::string_view text);

/// Finds a deleted run by number, id or unique beginning of an id, not by path. `last` is refused
/// if several were deleted, since their order is not known.
Result<ListedRun> find_deleted_run(const std::filesystem::path& runs_dir, std::string_view text);

/// Rewrites a sentence of an agent, which knows runs by id: "run #12" for each id that is in
/// `listed` (ascending, as from list_runs).
std::string name_runs(std::string text, std::span<const ListedRun> listed);
/// Like the other overload with the runs of a folder, which is read only if the text names a run.
std::string name_runs(std::string text, const std::filesystem::path& runs_dir);

}  // namespace ringside::runs
