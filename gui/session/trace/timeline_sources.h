// Finds the timelines of a run (its recorded steps, its profiles, imported traces), reads one of
// them, and imports traces as a run of the list. Reads files; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/session/trace/trace_bytes.h"
#include "gui/view/table.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::session {

struct TimelineSource {
  std::string title;                         ///< "Profile of steps 141 to 143"
  std::vector<std::filesystem::path> files;  ///< one file per rank, or one in all
  bool operator==(const TimelineSource&) const = default;
};

/// Returns the source for traces that a person named.
TimelineSource source_of(const std::vector<std::filesystem::path>& files);

/// Returns the traces in a run folder, newest first: files in `profiles`, and its subfolders with a
/// file for each rank.
std::vector<TimelineSource> timeline_sources(const runlog::RunFolder& folder);

struct ReadTimeline {
  std::shared_ptr<const model::Timeline> timeline;
  std::shared_ptr<const view::Table> operations;
};
inline constexpr std::size_t kMostOperations = 15;
ReadTimeline with_operations(model::Timeline timeline, std::size_t most = kMostOperations);
Result<ReadTimeline> read_timeline(const TimelineSource& source, TraceProgress& progress,
                                   std::size_t most = kMostOperations);

/// Reads the traces and copies them into a new run, which holds nothing else. `name` empty: taken
/// from the first file.
Result<runlog::RunFolder> import_traces(const std::filesystem::path& runs_dir,
                                        const std::vector<std::filesystem::path>& files,
                                        const std::string& name, TraceProgress& progress);

}  // namespace ringside::session
