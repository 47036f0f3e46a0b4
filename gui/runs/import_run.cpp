#include "gui/runs/import_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "gui/place/run_place.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_id.h"
#include "gui/runs/shown_state.h"
#include "gui/runs/trash.h"
#include "protocol/base/clock.h"
#include "protocol/host/descriptor.h"
#include "protocol/host/file_lock.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/messages/ignore_records.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/noted_runs.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

tl::unexpected<Error> refused(const fs::path& source, const std::string& why) {
  return bad_request(fmt::format("{} cannot be imported: {}", source.string(), why));
}

/// Checks that a folder is a run that this program can read; returns the id in its log.
Result<RunId> check_source(const fs::path& source) {
  std::error_code error;
  const runlog::RunFolder folder(source);
  if (!fs::is_directory(source, error)) return refused(source, "it is not a folder");
  if (!fs::is_regular_file(folder.spec_path(), error))
    return refused(source, "it is not a run folder: it has no spec.toml");
  if (const auto spec = read_spec(folder); !spec) return refused(source, spec.error().message);
  auto log = open_file(folder.log_path(0), OpenMode::kRead);
  if (!log) {
    return refused(source, "it has no node_0.log; it was copied incompletely, copy it again");
  }
  messages::IgnoreRecords ignore;
  runlog::LogReader reader(std::move(*log));
  if (const auto read = reader.poll(ignore, 1); !read) return refused(source, read.error().message);
  if (reader.identity().run_id.empty())
    return refused(source, "its node_0.log is not the log of a run, or its beginning is missing");
  if (agent_presence(folder) == AgentPresence::kAlive)
    return refused(source, "the run is still active; open it in place, or stop it first");
  return reader.identity().run_id;
}

/// The id that the list will show: the folder's name, or else the id in the log.
Result<RunId> id_of(const fs::path& source, const RunId& in_log) {
  const RunId named = source.filename().string();
  if (is_run_id(named)) return named;
  if (is_run_id(in_log)) return in_log;
  return refused(source, "neither its name nor its log has the id of the run");
}

Result<void> failed(const char* what, const fs::path& path) {
  return failure(fmt::format("{} cannot be {}: {}", path.string(), what, std::strerror(errno)));
}

/// Copies bytes from the current position to `end`, or to the end of the file if that comes first.
Result<void> copy_bytes(int in, int out, off_t end, const fs::path& from, const fs::path& to,
                        std::vector<char>& block, const std::atomic<bool>& cancel) {
  off_t at = ::lseek(in, 0, SEEK_CUR);
  while (!cancel && at < end) {
    const auto wanted = std::min<std::size_t>(block.size(), static_cast<std::size_t>(end - at));
    const ssize_t count = ::read(in, block.data(), wanted);
    if (count < 0) return failed("read", from);
    if (count == 0) break;
    for (ssize_t done = 0; done < count;) {
      const ssize_t put = ::write(out, block.data() + done, static_cast<std::size_t>(count - done));
      if (put < 0) return failed("written", to);
      done += put;
    }
    at += count;
  }
  return {};
}

/// Copies a file with its holes: a log uses only as much disk space as was written.
Result<void> copy_file(const fs::path& from, const fs::path& to, std::vector<char>& block,
                       const std::atomic<bool>& cancel) {
  const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (in.get() < 0) return failed("read", from);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (out.get() < 0) return failed("written", to);
  for (off_t at = 0; !cancel && at < status.st_size;) {
    off_t begin = ::lseek(in.get(), at, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) break;  // a hole up to the end of the file
    if (begin < 0) begin = at;               // the file system does not report holes
    off_t end = ::lseek(in.get(), begin, SEEK_HOLE);
    if (end <= begin) end = status.st_size;
    if (::lseek(in.get(), begin, SEEK_SET) < 0) return failed("read", from);
    if (::lseek(out.get(), begin, SEEK_SET) < 0) return failed("written", to);
    if (auto copied = copy_bytes(in.get(), out.get(), end, from, to, block, cancel); !copied)
      return copied;
    at = end;
  }
  if (::ftruncate(out.get(), status.st_size) != 0) return failed("written", to);
  // Times are copied, since they show how old a run is.
  const FileTimes times = times_of(status);
  const timespec both[2] = {times.read, times.written};
  (void)::futimens(out.get(), both);
  return {};
}

/// Checks the free space before anything is written.
Result<void> check_space(const fs::path& source, const fs::path& runs_dir) {
  std::uint64_t needed_bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(source, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    struct stat status {};
    const fs::path inside = it->path().lexically_relative(source);
    if (::lstat(it->path().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        !stays_behind(inside.native()))
      needed_bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  const fs::space_info space = fs::space(runs_dir, error);
  if (error || space.available >= needed_bytes) return {};
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
  return failure(fmt::format(
      "{} needs {} MiB and {} has {} MiB left; free some space there, or choose another runs "
      "folder with --runs-dir",
      source.string(), needed_bytes / kMebi + 1, runs_dir.string(), space.available / kMebi));
}

Result<void> copy_tree(const fs::path& source, const fs::path& target,
                       const std::atomic<bool>& cancel) {
  std::vector<char> block(kBlockBytes);
  std::error_code error;
  fs::recursive_directory_iterator it(source, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (cancel) return failure("the program is being closed");
    const fs::path inside = it->path().lexically_relative(source);
    const auto status = it->symlink_status(error);
    if (fs::is_directory(status)) {
      if (::mkdir((target / inside).c_str(), 0700) != 0) return failed("made", target / inside);
    } else if (fs::is_regular_file(status) && !stays_behind(inside.native())) {
      if (auto copied = copy_file(it->path(), target / inside, block, cancel); !copied)
        return copied;
    }
  }
  if (!error) return {};
  return failure(fmt::format("{} cannot be read: {}", source.string(), error.message()));
}

/// A hidden, locked folder beside the runs into which the copy is made; deleted unless it becomes a
/// run.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& runs_dir)
      : path_((runs_dir / (std::string(kUnfinished) + "XXXXXX")).string()) {
    made_ = ::mkdtemp(path_.data()) != nullptr;
    if (made_) lock_ = FileLock::try_take(path_).value_or(std::nullopt);
  }
  ~Unfinished() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  /// Removes unfinished folders of killed programs, whose locks are free.
  static void remove_abandoned(const fs::path& runs_dir) {
    std::error_code error;
    for (fs::directory_iterator it(runs_dir, error), end; !error && it != end;
         it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (!name.starts_with(kUnfinished) || name.size() != kUnfinished.size() + 6) continue;
      const auto lock = FileLock::try_take(it->path());
      std::error_code ignored;
      if (lock && *lock) fs::remove_all(it->path(), ignored);
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  bool made() const { return made_; }
  const std::string& path() const { return path_; }
  void keep() { made_ = false; }

 private:
  static constexpr std::string_view kUnfinished = ".import-";

  std::string path_;
  bool made_ = false;
  std::optional<FileLock> lock_;
};

}  // namespace

bool stays_behind(std::string_view path) {
  const bool of_agent = path.starts_with("agent") && path != "agent.log";
  return of_agent || path == runlog::kCopyMarkFile || path.starts_with("lock") ||
         path.starts_with("reserve") || path.starts_with("not_begun") || path.starts_with("tasks_");
}

Result<runlog::RunFolder> import_run(const fs::path& runs_dir, const fs::path& source,
                                     const std::atomic<bool>& cancel) {
  std::error_code error;
  const fs::path from = fs::weakly_canonical(source, error);
  if (error) return refused(source, error.message());
  const auto in_log = RINGSIDE_TRY(check_source(from));
  const auto id = RINGSIDE_TRY(id_of(from, in_log));
  const fs::path target = runs_dir / id;
  if (fs::exists(target, error))
    return refused(source, fmt::format("run {} is in the list already", id));
  if (fs::exists(trash_dir(runs_dir) / id, error))
    return refused(source, fmt::format("run {} was deleted; restore it from {}", id,
                                       trash_dir(runs_dir).string()));
  fs::create_directories(runs_dir, error);
  Unfinished::remove_abandoned(runs_dir);
  RINGSIDE_TRY(check_space(from, runs_dir));
  Unfinished copy(runs_dir);
  if (!copy.made()) {
    return failure(
        fmt::format("{} cannot be written: {}; choose another runs folder with "
                    "--runs-dir",
                    runs_dir.string(), std::strerror(errno)));
  }
  RINGSIDE_TRY(copy_tree(from, copy.path(), cancel));
  if (cancel) return failure("the program is being closed");
  // The job of an imported run is not a job of the local Slurm, even if that has the same number.
  RINGSIDE_TRY(place::detach_from_place(runlog::RunFolder(copy.path())));
  const std::string now = runlog::make_run_id(SystemClock().wall_ns(), 0xFFFFFFU);
  RINGSIDE_TRY(write_text_atomically(fs::path(copy.path()) / kImportedFile, now));
  {
    const Descriptor folder(::open(copy.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0) sync_file_system(folder.get());
  }
  fs::rename(copy.path(), target, error);
  if (error) {
    return failure(
        fmt::format("run {} cannot be put at {}: {}", id, target.string(), error.message()));
  }
  copy.keep();
  runlog::note_run(runs_dir, {target.filename().string(), now});
  return runlog::RunFolder(target);
}

}  // namespace ringside::runs
