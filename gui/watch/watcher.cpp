#include "gui/watch/watcher.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "protocol/base/printable.h"
#include "protocol/host/platform.h"

namespace ringside::watch {
namespace {

namespace fs = std::filesystem;

using InodeId = std::pair<dev_t, ino_t>;

InodeId inode_of(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? InodeId{found.st_dev, found.st_ino} : InodeId{};
}

/// Whether the descriptor is open for writing: fdinfo has the flags of open(2) in octal (proc(5)).
bool is_written(const fs::path& process, const std::string& descriptor) {
  std::ifstream info(process / "fdinfo" / descriptor);
  std::string word;
  while (info >> word && word != "flags:") {
  }
  int flags = O_RDONLY;
  return (info >> std::oct >> flags) && (flags & O_ACCMODE) != O_RDONLY;
}

/// Whether one of the files is open for writing. False if it is open only on another machine, or by
/// another user.
bool has_writer(std::span<const fs::path> files) {
  std::vector<InodeId> wanted;
  for (const fs::path& file : files) wanted.push_back(inode_of(file));
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    if (std::isdigit(static_cast<unsigned char>(process->path().filename().native()[0])) == 0)
      continue;
    std::error_code gone;  // the process is gone or belongs to another user
    for (fs::directory_iterator open(process->path() / "fd", gone); !gone && open != end;
         open.increment(gone)) {
      const InodeId id = inode_of(open->path());
      if (id != InodeId{} && std::find(wanted.begin(), wanted.end(), id) != wanted.end() &&
          is_written(process->path(), open->path().filename()))
        return true;
    }
  }
  return false;
}

using messages::State;

/// How often folders are searched for new files; less often if the search takes long.
constexpr std::int64_t kLookNs = 2'000'000'000;
constexpr std::int64_t kLookShare = 20;

/// Number of searches after which a missing file is gone: loggers that rewrite a file may delete it
/// before.
constexpr int kMissesOfGone = 2;

constexpr std::array kFormats = {Format::kWandb, Format::kTensorBoard, Format::kCsv};

/// False if the file system does not respond.
bool is_missing(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) && !error;
}

/// Time of the oldest value; for values without a time, the file's modification time.
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

void Watcher::add_file(Source source) {
  if (!known_.insert(source.path).second) return;
  Run*& run = by_name_[source.run];
  if (run == nullptr) run = &runs_.emplace_back(Run{source.run});
  FileTail tail(source.format, source.path, source.table);
  run->files.push_back({std::move(source), std::move(tail)});
}

/// Reports deleted files, since a run without files would look like a program that waits.
void Watcher::look_for_losses() {
  for (Run& run : runs_) {
    if (run.ended || run.files.empty()) continue;
    for (File& file : run.files) {
      file.misses = is_missing(file.source.path) ? file.misses + 1 : 0;
      if (file.misses == kMissesOfGone)
        leave_out(file.left_out, {"it was deleted; what was read of it stays in the run", ""});
    }
    if (!run.recorder || !is_missing(run.recorder->folder().log_path(0))) continue;
    leave_out(run.files.front().left_out,
              {"the folder of its run was deleted: it is followed no more", ""});
    (void)end(run, State::kStopped, "its run folder was deleted");
  }
}

Result<void> Watcher::look_for_files() {
  const std::int64_t now_ns = clock_.mono_ns();
  if (look_after_ns_ != 0 && (now_ns < look_after_ns_ || !options_.live)) return {};
  auto sources = find_sources(options_.path, options_.step);
  const std::int64_t took_ns = clock_.mono_ns() - now_ns;
  look_after_ns_ = now_ns + std::max(kLookNs, kLookShare * took_ns);
  if (goes_on_) look_for_losses();
  if (!sources && is_missing(options_.path))
    of_path_ = {
        {"it is not there any more; it is waited for", printable_line(options_.path.native())}};
  if (!sources) return pass(sources);
  of_path_ = std::move(sources->left_out);
  for (Source& source : sources->files) add_file(std::move(source));
  return {};
}

std::string Watcher::name_of(const Run& run) const {
  if (!options_.name.empty() && runs_.size() == 1) return options_.name;
  if (!run.title.empty()) return run.title;
  if (!run.name.empty()) return run.name;
  const std::string own = options_.path.filename().string();
  return own.empty() ? options_.path.parent_path().filename().string() : own;
}

Result<void> Watcher::open_recorder(Run& run, const File& file, const Findings& found) {
  std::int32_t ranks = 1;
  for (const File& one : run.files) ranks = std::max(ranks, one.source.rank + 1);
  for (const Point& point : found.points) ranks = std::max(ranks, point.rank + 1);
  const std::int64_t began_ns = first_wall_ns(found, file.tail.changed_wall_ns());
  auto recorder = RINGSIDE_TRY(RunRecorder::create(
      {options_.runs_dir, name_of(run), options_.path.string(), ranks, began_ns, options_.live},
      clock_));
  run.recorder.emplace(std::move(recorder));
  run.recorded = true;
  run.format = file.source.format;
  folders_.push_back(run.recorder->folder());
  return {};
}

Result<void> Watcher::record(Run& run, File& file, Findings& found) {
  const auto undone = run.undone.find(file.source.path.parent_path());
  if (undone != run.undone.end()) {
    const std::size_t before = found.points.size();
    std::erase_if(found.points,
                  [&](const Point& point) { return undone->second.next(point.step); });
    if (const std::size_t gone = before - found.points.size(); gone > 0)
      leave_out(file.left_out, {"a value is of a step that the program did once more after a "
                                "restart, and is left out as TensorBoard does it",
                                "", gone, true});
    found.restarts.clear();
  }
  if (found.points.empty() && (!run.recorder || found.restarts.empty())) return {};
  if (!run.recorder) {
    RINGSIDE_TRY(open_recorder(run, file, found));
  }
  // Values that a file has when it is first seen are as old as the file; later ones are new.
  const Origin origin{file.source.rank, file.source.prefix, file.tail.changed_wall_ns()};
  std::span<const Point> points = found.points;
  std::size_t taken = 0;
  for (const Restart& restart : found.restarts) {
    const auto before = points.subspan(taken, restart.points_before - taken);
    RINGSIDE_TRY(run.recorder->add(origin, before, file.left_out));
    taken = restart.points_before;
    run.recorder->begin_again(file.source.rank, restart.step);
  }
  return run.recorder->add(origin, points.subspan(taken), file.left_out);
}

Result<bool> Watcher::read(Run& run, File& file) {
  Findings found;
  const auto more = file.tail.poll(!options_.live, found);
  for (LeftOut& one : found.left_out) leave_out(file.left_out, std::move(one));
  if (!more) {
    const std::string what = "it cannot be read: " + more.error().message;
    const bool told =
        std::ranges::any_of(file.left_out, [&](const LeftOut& one) { return one.what == what; });
    if (!told) leave_out(file.left_out, {what, ""});
    return false;
  }
  if (!found.title.empty()) run.title = found.title;
  if (!found.settings.empty()) run.settings = found.settings;
  if (found.exit_code) file.exit_code = found.exit_code;
  RINGSIDE_TRY(record(run, file, found));
  run.same_as.insert(found.same_as.begin(), found.same_as.end());
  for (const std::string& folder : run.same_as) {
    if (!run.recorder) break;
    auto& names = synced_[folder];
    if (names.size() != run.recorder->names().size()) names = run.recorder->names();
  }
  return *more;
}

/// Reads complete files one after the other, in the order of TensorBoard.
Result<bool> Watcher::read(Run& run, Format format) {
  bool more = false;
  for (File& file : run.files) {
    if (file.source.format != format || (!options_.live && file.tail.caught_up())) continue;
    const auto read_more = RINGSIDE_TRY(read(run, file));
    more = more || read_more;
    if (read_more && !options_.live) return true;
  }
  return more;
}

void Watcher::find_undone(Run& run) {
  for (const File& file : run.files) {
    if (file.source.format != Format::kTensorBoard) continue;
    FileTail scan(file.source.format, file.source.path);
    UndoneSteps& undone = run.undone[file.source.path.parent_path()];
    for (bool more = true; more;) {
      Findings found;
      more = scan.poll(true, found).value_or(false);
      undone.add(found);
    }
  }
  for (auto& [folder, undone] : run.undone) undone.begin();
}

/// Decides whether the program still writes. If it holds its files open, it ended shortly after it
/// closed them. If no process here has them open (it opens them for each line, or runs on another
/// machine), only a long silence shows it. New bytes mean that it is training again.
void Watcher::look_for_writer(Run& run) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  std::vector<std::filesystem::path> paths;
  std::int64_t changed_ns = 0;
  for (const File& file : run.files) {
    paths.push_back(file.source.path);
    changed_ns = std::max(changed_ns, file.tail.changed_wall_ns());
  }
  if (changed_ns != run.changed_ns) {
    if (run.changed_ns != 0)
      run.longest_gap_ns = std::max(run.longest_gap_ns, changed_ns - run.changed_ns);
    run.changed_ns = changed_ns;
    run.recorder->change_state(State::kTraining, "values come again");
  }
  const std::int64_t silent_ns = clock_.wall_ns() - changed_ns;
  const bool may_be_over = silent_ns > 10 * kSecondNs;
  if (clock_.mono_ns() < run.look_after_ns || (run.had_writer && !may_be_over)) return;
  run.look_after_ns = clock_.mono_ns() + 5 * kSecondNs;
  const bool has_one = has_writer(paths);
  run.had_writer = run.had_writer || has_one;
  const std::int64_t limit_ns =
      run.had_writer ? 0 : std::max(600 * kSecondNs, 5 * run.longest_gap_ns);
  if (!has_one && may_be_over && silent_ns > limit_ns) {
    run.recorder->change_state(
        State::kStopped, std::string("nothing is written any more") +
                             (is_viewer_only() ? "" : ", and no process here has its files open"));
  }
}

/// Whether a W&B file says that it also has the values of this one, and does have them.
bool Watcher::stands_elsewhere(const Run& run, const File& file) {
  const auto folder_text = [](const std::filesystem::path& folder) {
    std::error_code error;
    return std::filesystem::weakly_canonical(folder, error).string() + "/";
  };
  const std::string here = folder_text(file.source.path.parent_path());
  for (const auto& synced : synced_) {
    const auto& logs = synced.first;
    const auto& names = synced.second;
    const std::string there = folder_text(logs);
    const bool same =
        here.starts_with(there) || (!run.name.empty() && ("/" + logs).ends_with("/" + run.name));
    if (!same) continue;
    FileTail first(file.source.format, file.source.path);
    Findings found;
    (void)first.poll(true, found);
    const bool all = std::ranges::all_of(found.points, [&](const Point& point) {
      return std::ranges::any_of(names, [&](const std::string& name) {
        return name == point.name || name.ends_with("/" + point.name);
      });
    });
    if (all && !found.points.empty()) return true;
  }
  return false;
}

/// Reads the best kind of file that has values. A kind is known to have none only when its files
/// were read to the end.
Result<bool> Watcher::read(Run& run) {
  const bool limited = options_.most_runs > 0 && folders_.size() >= options_.most_runs;
  if (!run.recorder && limited) {
    run.ended = true;
    leave_out(of_path_, {"a run is beyond the first " + std::to_string(options_.most_runs),
                         printable_line(run.name)});
    return false;
  }
  if (!run.recorder && !run.recorded && !run.files.empty() && !synced_.empty() &&
      stands_elsewhere(run, run.files.front())) {
    run.ended = true;
    leave_out(run.files.front().left_out,
              {"its values are also in a file of W&B, and are taken from there", "", 1, true});
    return false;
  }
  if (!options_.live && run.undone.empty() && !run.recorder) find_undone(run);
  bool more = false;
  for (const Format format : kFormats) {
    if (run.format && run.format != format) continue;
    const auto read_more = RINGSIDE_TRY(read(run, format));
    more = more || read_more;
    if (run.format || read_more) break;
  }
  if (run.recorder) {
    if (options_.live) note_left_out(run, false);
    if (options_.live) look_for_writer(run);
    RINGSIDE_TRY(run.recorder->flush());
  }
  if (!more) {
    RINGSIDE_TRY(end_if_over(run));
  }
  return more;
}

Result<bool> Watcher::poll() {
  if (const auto looked = look_for_files(); !looked && !goes_on_) return pass(looked);
  bool more = false;
  for (Run& run : runs_) {
    if (run.ended) continue;
    const auto read_more = RINGSIDE_TRY(read(run));
    more = more || read_more;
    // Complete runs are read one after the other, so that their number has no limit.
    if (!options_.live) return read_more || !run.ended || !over();
  }
  const bool foreign =
      !runs_.empty() && folders_.empty() && std::ranges::all_of(runs_, [](const Run& run) {
        return std::ranges::all_of(run.files,
                                   [](const File& f) { return !f.tail.foreign().empty(); });
      });
  if (!goes_on_ && options_.live && !more && foreign) return bad_request(why_nothing());
  goes_on_ = options_.live;
  return more;
}

/// Ends the run if it is over: W&B records the end of a program, and complete files end when they
/// are read.
Result<void> Watcher::end_if_over(Run& run) {
  if (run.files.empty()) return {};
  std::int32_t worst = 0;
  bool told = true;
  for (const File& file : run.files) {
    if (run.format && file.source.format != *run.format) continue;
    told = told && file.exit_code.has_value();
    if (file.exit_code.value_or(0) != 0) worst = *file.exit_code;
  }
  if (run.recorder && told && worst == 0) return end(run, State::kFinished, "as W&B recorded it");
  if (run.recorder && told)
    return end(run, State::kFailed, "exit code " + std::to_string(worst) + ", as W&B recorded it");
  if (options_.live) return {};
  return end(run, State::kStopped, "copied; the files do not say how the program ended");
}

Result<void> Watcher::end(Run& run, State state, const std::string& text) {
  run.ended = true;
  note_left_out(run, true);
  if (!run.recorder) return {};
  const bool now = options_.live && state == State::kStopped;
  auto ended = run.recorder->end(state, text, now ? clock_.wall_ns() : 0);
  if (on_end_) on_end_(*run.recorder);
  run.recorder.reset();
  return ended;
}

std::vector<RunRecorder*> Watcher::recorded() {
  std::vector<RunRecorder*> recorders;
  for (Run& run : runs_) {
    if (run.recorder) recorders.push_back(&*run.recorder);
  }
  return recorders;
}

bool Watcher::over() const { return !runs_.empty() && ended_runs() == runs_.size(); }

std::size_t Watcher::ended_runs() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(runs_, [](const Run& run) { return run.ended; }));
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
