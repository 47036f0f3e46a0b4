#include "gui/watch/watcher.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace ringside::watch {
namespace {

using messages::State;

/// How often folders are looked through for files that are new.
constexpr std::int64_t kLookNs = 2'000'000'000;

/// Of the oldest value; of values without a time, when the file was written.
std::int64_t first_wall_ns(const Findings& found, std::int64_t otherwise) {
  double first_s = kNoTime;
  for (const Point& point : found.points) {
    if (point.wall_s > 0 && !(point.wall_s >= first_s)) first_s = point.wall_s;
  }
  return first_s < 4e9 ? static_cast<std::int64_t>(first_s * 1e9) : otherwise;
}

}  // namespace

const Clock& Watcher::system_clock() {
  static const SystemClock kClock;
  return kClock;
}

Watcher::Watcher(WatchOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

Result<void> Watcher::look_for_files() {
  const std::int64_t now_ns = clock_.mono_ns();
  if (looked_ns_ != 0 && now_ns - looked_ns_ < kLookNs) return {};
  looked_ns_ = now_ns;
  auto sources = find_sources(options_.path);
  if (!sources) return pass(sources);
  for (Source& source : *sources) {
    if (!known_.insert(source.path).second) continue;
    auto run = std::find_if(runs_.begin(), runs_.end(),
                            [&](const Run& one) { return one.name == source.run; });
    if (run == runs_.end()) {
      if (runs_.size() == kMostRuns)
        return bad_request(options_.path.string() + " holds more than " +
                           std::to_string(kMostRuns) + " runs; name one of its folders");
      run = runs_.insert(runs_.end(), Run{source.run, {}, {}, {}, false});
    }
    // A better kind that comes later would give every value once more.
    if (!run->files.empty() && run->files.front().source.format != source.format) continue;
    FileTail tail(source.format, source.path);
    run->files.push_back({std::move(source), std::move(tail), {}});
  }
  return {};
}

std::string Watcher::name_of(const Run& run) const {
  if (!options_.name.empty() && runs_.size() == 1) return options_.name;
  if (!run.title.empty()) return run.title;
  if (!run.name.empty()) return run.name;
  const std::string own = options_.path.filename().string();
  return own.empty() ? options_.path.parent_path().filename().string() : own;
}

Result<void> Watcher::record(Run& run, const File& file, const Findings& found) {
  if (found.points.empty()) return {};
  // What a file holds when it is first seen was written by then; what comes later comes now.
  const std::int64_t read_ns = file.tail.changed_wall_ns();
  if (!run.recorder) {
    std::int32_t ranks = 1;
    for (const File& one : run.files) ranks = std::max(ranks, one.source.rank + 1);
    for (const Point& point : found.points) ranks = std::max(ranks, point.rank + 1);
    auto recorder = RunRecorder::create({options_.runs_dir, name_of(run), options_.path.string(),
                                         ranks, first_wall_ns(found, read_ns), options_.live},
                                        clock_);
    if (!recorder) return pass(recorder);
    run.recorder.emplace(std::move(*recorder));
    folders_.push_back(run.recorder->folder());
  }
  return run.recorder->add({file.source.rank, file.source.prefix, read_ns}, found.points);
}

Result<bool> Watcher::read(Run& run, File& file) {
  Findings found;
  const auto more = file.tail.poll(!options_.live, found);
  if (!more) return pass(more);
  if (!found.title.empty()) run.title = found.title;
  if (found.exit_code) file.exit_code = found.exit_code;
  if (const auto recorded = record(run, file, found); !recorded) return pass(recorded);
  return *more;
}

/// All of its files.
Result<bool> Watcher::read(Run& run) {
  bool more = false;
  for (File& file : run.files) {
    const auto read_more = read(run, file);
    if (!read_more) return read_more;
    more = more || *read_more;
  }
  if (run.recorder) {
    if (const auto flushed = run.recorder->flush(); !flushed) return pass(flushed);
  }
  if (!more) {
    if (const auto ended = end_if_over(run); !ended) return pass(ended);
  }
  return more;
}

Result<bool> Watcher::poll() {
  if (const auto looked = look_for_files(); !looked && !goes_on_) return pass(looked);
  bool more = false;
  for (Run& run : runs_) {
    if (run.ended) continue;
    const auto read_more = read(run);
    if (read_more) {
      more = more || *read_more;
      continue;
    }
    // The program may be well, and so are the other runs.
    const Error& error = read_more.error();
    if (!goes_on_ || error.kind != ErrorKind::kRequest) return read_more;
    if (!problem_) problem_ = error;
    if (const auto ended = end(run, State::kStopped, error.message); !ended) return pass(ended);
  }
  goes_on_ = options_.live;
  return more;
}

/// Only W&B records how a program ended.
Result<void> Watcher::end_if_over(Run& run) {
  if (!run.recorder || run.files.empty()) return {};
  std::int32_t worst = 0;
  for (const File& file : run.files) {
    if (!file.exit_code) return {};
    if (*file.exit_code != 0) worst = *file.exit_code;
  }
  if (worst == 0) return end(run, State::kFinished, "as W&B recorded it");
  return end(run, State::kFailed, "exit code " + std::to_string(worst) + ", as W&B recorded it");
}

Result<void> Watcher::end(Run& run, State state, const std::string& text) {
  run.ended = true;
  if (!run.recorder) return {};
  auto ended = run.recorder->end(state, text);
  if (on_end_) on_end_(*run.recorder);
  run.recorder.reset();
  run.files.clear();
  return ended;
}

std::vector<RunRecorder*> Watcher::recorded() {
  std::vector<RunRecorder*> recorders;
  for (Run& run : runs_) {
    if (run.recorder) recorders.push_back(&*run.recorder);
  }
  return recorders;
}

bool Watcher::over() const {
  return !runs_.empty() &&
         std::all_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.ended; });
}

Result<void> Watcher::stop(const RunId& id, State state, const std::string& text) {
  for (Run& run : runs_) {
    if (run.recorder && run.recorder->folder().id() == id) return end(run, state, text);
  }
  return {};
}

Result<void> Watcher::stop_all(State state, const std::string& text) {
  Result<void> outcome;
  for (Run& run : runs_) {
    if (run.ended) continue;
    if (auto ended = end(run, state, text); !ended) outcome = std::move(ended);
  }
  return outcome;
}

void Watcher::discard() {
  std::error_code ignored;
  for (const runlog::RunFolder& folder : folders_)
    std::filesystem::remove_all(folder.path(), ignored);
  folders_.clear();
  for (Run& run : runs_) {
    run.recorder.reset();
    run.ended = true;
  }
}

}  // namespace ringside::watch
