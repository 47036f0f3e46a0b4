// Which files of a folder are followed, and to which run and rank each belongs. The rule: every
// folder with such files is a run of its own, as TensorBoard has it, except that `rank_N` below it
// is its rank N, `node_N` speaks for the whole run, and `train`, `validation` and the like are
// parts of it whose values get that word in front. Of several kinds of files in one run the first
// of W&B, TensorBoard, CSV counts. Reads folders only; any thread.
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
};

/// By its name: "...tfevents...", "*.wandb", "*.csv".
std::optional<Format> format_of(const std::filesystem::path& file);

/// Whether there is something to follow, by names alone: such a file, or a folder with one.
bool can_watch(const std::filesystem::path& path);

/// Of `root`, a file or a folder: in the order of their paths. Of CSV files in a folder those count
/// that loggers call metrics.csv, steps.csv, scalars.csv, progress.csv, log.csv, history.csv and
/// results.csv. Links to folders are not gone into. A bad request: `root` is neither, cannot be
/// read, or holds too many of them.
Result<std::vector<Source>> find_sources(const std::filesystem::path& root);

}  // namespace ringside::watch
