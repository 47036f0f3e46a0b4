#include "gui/session/trace/timeline_sources.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "gui/session/trace/trace_reader.h"
#include "gui/view/timeline/operations_table.h"
#include "gui/watch/run_recorder.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

bool named_as_trace(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

/// Returns "trace" for trace.pt.trace.json.gz, as PyTorch's own handler names its files.
std::string short_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (const char* const ending : {".gz", ".json", ".trace", ".pt"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return printable_line(name);
}

/// Returns "Profile of steps 141 to 143" for steps_141-143.json, as `ringside profile` names them.
std::string title_of(const fs::path& file) {
  const std::string name = short_name(file);
  constexpr std::string_view kSteps = "steps_";
  const std::size_t between = name.find('-');
  const auto digits = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!name.starts_with(kSteps) || between == std::string::npos) return name;
  const std::string first = name.substr(kSteps.size(), between - kSteps.size());
  const std::string last = name.substr(between + 1);
  if (!digits(first) || !digits(last)) return name;
  return "Profile of steps " + first + " to " + last;
}

/// Returns the trace files of a folder, sorted by name.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (named_as_trace(at->path()) && at->is_regular_file(gone)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

/// Names the copy of one of several traces so that it is listed as a trace, and in the given order:
/// folders of ranks often hold files of the same name.
std::string stored_name(const fs::path& file, std::size_t place, std::size_t files) {
  std::string name = file.filename().string();
  if (!named_as_trace(file)) {
    const bool packed = name.ends_with(".gz");
    if (packed) name.resize(name.size() - 3);
    name += packed ? ".json.gz" : ".json";
  }
  if (files < 2) return name;
  const std::size_t digits = std::to_string(files - 1).size();
  const std::string number = std::to_string(place);
  return std::string(digits - number.size(), '0') + number + "_" + name;
}

}  // namespace

TimelineSource source_of(const std::vector<fs::path>& files) {
  std::string title = files.empty() ? std::string() : title_of(files.front());
  if (files.size() > 1) title += " and " + std::to_string(files.size() - 1) + " more";
  return {std::move(title), files};
}

std::vector<TimelineSource> timeline_sources(const runlog::RunFolder& folder) {
  const fs::path profiles = folder.path() / "profiles";
  std::vector<std::pair<fs::file_time_type, TimelineSource>> found;
  const auto add = [&found](const fs::path& at, const std::vector<fs::path>& files) {
    std::error_code gone;
    if (!files.empty()) found.emplace_back(fs::last_write_time(at, gone), source_of(files));
  };
  for (const fs::path& file : files_in(profiles)) add(file, {file});
  std::error_code error;
  for (fs::directory_iterator at(profiles, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->is_directory(gone)) add(at->path(), files_in(at->path()));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<TimelineSource> sources;
  for (auto& [when, source] : found) sources.push_back(std::move(source));
  return sources;
}

ReadTimeline with_operations(model::Timeline timeline, std::size_t most) {
  auto operations = std::make_shared<const view::Table>(view::operations_table(timeline, most));
  return {std::make_shared<const model::Timeline>(std::move(timeline)), std::move(operations)};
}

Result<ReadTimeline> read_timeline(const TimelineSource& source, TraceProgress& progress,
                                   std::size_t most) {
  try {
    return with_operations(RINGSIDE_TRY(read_traces(source.files, progress)), most);
  } catch (const std::bad_alloc&) {
    return failure("there is too little memory to read the trace");
  }
}

Result<runlog::RunFolder> import_traces(const fs::path& runs_dir,
                                        const std::vector<fs::path>& files, const std::string& name,
                                        TraceProgress& progress) {
  const model::Timeline read = RINGSIDE_TRY(read_traces(files, progress));
  const SystemClock clock;
  const std::string called = name.empty() ? short_name(files.front()) : name;
  const auto ranks = static_cast<std::int32_t>(std::max<std::size_t>(1, read.ranks().size()));
  auto recorder = RINGSIDE_TRY(watch::RunRecorder::create(
      {runs_dir, called, printable_line(files.front().string()), ranks, clock.wall_ns(), false},
      clock));
  const runlog::RunFolder folder = recorder.folder();
  // A single file is a trace by itself; several files are one trace of several ranks.
  const fs::path to = folder.path() / "profiles" / (files.size() > 1 ? "traces" : "");
  std::error_code error;
  fs::create_directories(to, error);
  for (std::size_t i = 0; i < files.size() && !error; ++i) {
    fs::copy_file(files[i], to / stored_name(files[i], i, files.size()), error);
    if (progress.over()) break;
  }
  Result<void> done;
  if (progress.over()) done = failure("cancelled");
  if (error)
    done =
        failure("cannot copy the traces into " + folder.path().string() + ": " + error.message());
  if (done) {
    done = recorder.end(messages::State::kFinished, "it has traces alone, see Timeline",
                        clock.wall_ns());
  }
  if (done) return folder;
  std::error_code ignored;
  fs::remove_all(folder.path(), ignored);
  return tl::unexpected(done.error());
}

}  // namespace ringside::session
