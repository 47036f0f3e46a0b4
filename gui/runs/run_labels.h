// What a person wrote on a run: a name of their own, tags, a note. Kept in labels.toml of the run
// folder, so that it travels with it; the spec and the log are never touched. Files only; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

struct RunLabels {
  std::string name;               ///< empty: the name of the spec
  std::vector<std::string> tags;  ///< without repeats, in the order in which they were written
  std::string note;

  RINGSIDE_FIELDS(name, tags, note)
  bool operator==(const RunLabels&) const = default;
};

/// Empty labels if the file is missing or cannot be parsed.
RunLabels read_labels(const runlog::RunFolder& folder);

/// Replaces the file; without any label the file goes.
Result<void> write_labels(const runlog::RunFolder& folder, const RunLabels& labels);

/// "slow, wd 1e-4": parted by commas, spaces around taken off, repeats and empty ones left out.
std::vector<std::string> tags_of(std::string_view text);
std::string tags_text(const std::vector<std::string>& tags);

}  // namespace ringside::runs
