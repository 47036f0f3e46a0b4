// Finds the files of a folder that are followed, and the run and rank that each belongs to. The
// rule: every folder with such files is a run of its own, as TensorBoard has it, except that
// `rank_N` below it, or in a table's name, is its rank N, `node_N` speaks for the whole run, and
// `train`, `validation` and the like are parts of it whose values get that word in front. What lies
// in `files` beside a file of W&B is of that run. Reads folders only; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/watch/file_tail.h"
#include "protocol/base/ids.h"

namespace ringside::watch {

struct Source {
  std::string run;     ///< its folder below the root; empty: the root, or the one file
  Rank rank = 0;       ///< kNoRank: the whole run
  std::string prefix;  ///< in front of every name: "validation/", or empty
  Format format = Format::kCsv;
  std::filesystem::path path;
  TableOptions table = {};
  bool doubtful = false;  ///< text of any name: nobody misses it when it is not a table of steps
};

struct Sources {
  std::vector<Source> files;      ///< those of W&B first, then by path
  std::vector<LeftOut> left_out;  ///< folders that cannot be looked into
};

/// The format of a file by its name: "...tfevents...", "*.wandb", "*.csv", "*.tsv", also in
/// capitals.
std::optional<Format> format_of(const std::filesystem::path& file);

/// Whether there is something to follow, by names alone: such a file, or a folder with one.
bool can_watch(const std::filesystem::path& path);

/// Finds the files to follow at `root`, any file or a folder. A table that is not named as a logger
/// would name it counts if it has a column of steps; several such tables are a run each. Links are
/// followed, and each file is taken once. A bad request if `root` is neither file nor folder,
/// cannot be read, or holds too many files. `step` is the column of steps, if a person named one.
Result<Sources> find_sources(const std::filesystem::path& root, const std::string& step = {});

}  // namespace ringside::watch
