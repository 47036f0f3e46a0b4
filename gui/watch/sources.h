// Finds the files to follow in a folder, and the run and rank that each belongs to. Every folder
// with such files is a run of its own, as in TensorBoard, except that `rank_N` below it, or in a
// table's name, is its rank N, `node_N` is for the whole run, and `train`, `validation` and the
// like are parts of it whose names get that prefix. Files in `files` beside a W&B file belong to
// its run. Reads only folders; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/watch/file_tail.h"
#include "protocol/base/ids.h"

namespace ringside::watch {

struct Source {
  std::string run;     ///< folder below the root; empty: the root, or the single file
  Rank rank = 0;       ///< kNoRank: values of the whole run
  std::string prefix;  ///< prefix of every name: "validation/", or empty
  Format format = Format::kCsv;
  std::filesystem::path path;
  TableOptions table = {};
  /// A text file whose name no logger uses: ignored if it has no column of steps.
  bool doubtful = false;
};

struct Sources {
  std::vector<Source> files;      ///< W&B files first, then sorted by path
  std::vector<LeftOut> left_out;  ///< folders that cannot be read
};

/// The format of a file by its name: "...tfevents...", "*.wandb", "*.csv", "*.tsv", ignoring case.
std::optional<Format> format_of(const std::filesystem::path& file);

/// Whether there is something to follow, by names alone: such a file, or a folder with one.
bool can_watch(const std::filesystem::path& path);

/// Finds the files to follow at `root`, any file or a folder. A table with a name that no logger
/// uses counts if it has a column of steps; several such tables are one run each. Links are
/// followed, and each file is taken once. Returns a bad request if `root` is neither file nor
/// folder, cannot be read, or holds too many files. `step`: the column of steps, if a person named
/// one.
Result<Sources> find_sources(const std::filesystem::path& root, const std::string& step = {});

}  // namespace ringside::watch
