// A person's labels of a run: a name, tags, a note, notes on its charts, a star. Stored in
// labels.toml of the run folder, so that they move with it; the spec and the log are never changed.
// Files only; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/runs/chart_note.h"
#include "protocol/base/fields.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

struct RunLabels {
  std::string name;               ///< empty: the name of the spec
  std::vector<std::string> tags;  ///< without duplicates, in the order typed
  std::string note;
  bool starred = false;
  std::vector<std::string> chart_notes{};  ///< "STEP TEXT", by step; see chart_notes_of()

  RINGSIDE_FIELDS(name, tags, note, starred, chart_notes)
  bool operator==(const RunLabels&) const = default;
};

/// Empty labels if the file is missing or cannot be parsed.
RunLabels read_labels(const runlog::RunFolder& folder);

/// Replaces the file; removes it if all labels are empty. Bad request: labels that are not UTF-8 or
/// too large to be read again.
Result<void> write_labels(const runlog::RunFolder& folder, const RunLabels& labels);

/// Reads the labels, changes and writes them while other programs wait, and returns them. Bad
/// request: the file exists and cannot be read; it is left as it is.
Result<RunLabels> edit_labels(const runlog::RunFolder& folder,
                              const std::function<RunLabels(RunLabels)>& edited);

/// Splits comma-separated text such as "slow, wd 1e-4"; spaces around tags, duplicates and empty
/// tags are removed.
std::vector<std::string> tags_of(std::string_view text);
std::string tags_text(const std::vector<std::string>& tags);
/// Returns the tags with some added at the end or removed.
std::vector<std::string> changed_tags(std::vector<std::string> tags,
                                      const std::vector<std::string>& these, bool on);

/// Returns the notes on the charts of the run; a line that is none is left out.
std::vector<ChartNote> chart_notes_of(const RunLabels& labels);
/// Writes a note in place of that at the same step; without a text only removes that.
void put_chart_note(RunLabels& labels, const ChartNote& note);

}  // namespace ringside::runs
