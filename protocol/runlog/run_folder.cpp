#include "protocol/runlog/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

#include "protocol/base/calendar.h"
#include "protocol/host/user_folders.h"

namespace ringside::runlog {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path absolute_folder(const fs::path& path) {
  std::error_code error;  // without a working folder a relative path is left unchanged
  const fs::path whole = fs::absolute(path, error);
  fs::path clean = (error ? path : whole).lexically_normal();
  return clean.has_filename() ? clean : clean.parent_path();
}

// Creates the folders of a path like mkdir -p, new ones with mode 0700.
Result<void> make_private_folders(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {};
  if (path.has_parent_path() && path.parent_path() != path) {
    RINGSIDE_TRY(make_private_folders(path.parent_path()));
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure("cannot make the folder " + path.string() + ": " + std::strerror(errno) +
                   "; choose another one with --runs-dir or RINGSIDE_RUNS_DIR");
  }
  return {};
}

// A lock of the open file, not of the process (fcntl(2), "open file description locks"). Unlike
// flock, it can be queried without taking it.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Some file systems support only one of the two kinds of locks.
bool is_unknown(int error) { return error == EINVAL || error == ENOTSUP || error == ENOSYS; }

// Returns 0 on success. Takes flock's lock too, which agents of earlier versions hold.
int take_both_locks(int fd) {
  struct flock whole = whole_file();
  const int own = ::fcntl(fd, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
  if (own != 0 && !is_unknown(own)) return own;
  const int earlier = ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  return is_unknown(earlier) ? own : earlier;
}

}  // namespace

RunFolder::RunFolder(const fs::path& path) : path_(absolute_folder(path)) {}

fs::path RunFolder::log_path(Node node) const {
  return path_ / ("node_" + std::to_string(node) + ".log");
}

std::vector<Node> RunFolder::logged_nodes() const {
  constexpr std::string_view kHead = "node_";
  std::vector<Node> nodes;
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kHead)) continue;
    Node node = -1;
    std::from_chars(name.data() + kHead.size(), name.data() + name.size(), node);
    if (node >= 0 && it->path() == log_path(node)) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::uint64_t RunFolder::log_bytes() const {
  std::uint64_t bytes = 0;
  for (const Node node : logged_nodes()) {
    std::error_code error;
    const auto size = fs::file_size(log_path(node), error);
    if (!error) bytes += size;
  }
  return bytes;
}

fs::path RunFolder::agent_path(Node node) const {
  return path_ / (node == 0 ? "agent.json" : "agent_" + std::to_string(node) + ".json");
}

fs::path RunFolder::agent_log_path(Node node) const {
  return path_ / (node == 0 ? "agent.log" : "agent_" + std::to_string(node) + ".log");
}

fs::path RunFolder::lock_path(Node node) const {
  return path_ / (node == 0 ? "lock" : "lock_" + std::to_string(node));
}

fs::path RunFolder::tasks_path(Node node) const {
  return path_ / ("tasks_" + std::to_string(node));
}

fs::path RunFolder::reserve_path(Node node) const {
  return path_ / (node == 0 ? "reserve" : "reserve_" + std::to_string(node));
}

fs::path RunFolder::attempt_dir(std::int32_t attempt) const {
  return path_ / ("attempt_" + std::to_string(attempt));
}

std::int32_t RunFolder::attempts() const {
  std::int32_t count = 0;
  std::error_code ignored;
  while (fs::exists(attempt_dir(count), ignored)) ++count;
  return count;
}

fs::path RunFolder::rank_dir(std::int32_t attempt, Rank rank) const {
  return attempt_dir(attempt) / ("rank_" + std::to_string(rank));
}

fs::path RunFolder::unsent_path(std::int32_t attempt, Rank rank) const {
  return rank_dir(attempt, rank) / "unsent.log";
}

std::vector<Rank> RunFolder::ranks_with_unsent(std::int32_t attempt) const {
  std::vector<Rank> ranks;
  std::error_code ignored;
  for (Rank rank = 0; fs::exists(rank_dir(attempt, rank), ignored); ++rank) {
    if (fs::exists(unsent_path(attempt, rank), ignored)) ranks.push_back(rank);
  }
  return ranks;
}

fs::path RunFolder::rendezvous_path(std::int32_t attempt) const {
  return attempt_dir(attempt) / "rendezvous";
}

Result<fs::path> whole_path(const fs::path& path, const std::string& what) {
  if (path.empty()) return bad_request(what + " is empty; give a path");
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (!error) return whole.lexically_normal();
  return bad_request(what + " \"" + path.string() +
                     "\" is relative, and the working folder is gone (" + error.message() +
                     "); change to another folder or give a full path");
}

Result<fs::path> choose_runs_dir(const fs::path& asked) {
  if (!asked.empty()) return whole_path(asked, "--runs-dir");
  if (const std::string chosen = environment("RINGSIDE_RUNS_DIR"); !chosen.empty()) {
    return absolute_folder(RINGSIDE_TRY(whole_path(chosen, "RINGSIDE_RUNS_DIR")));
  }
  const auto data = RINGSIDE_TRY(user_folder("XDG_DATA_HOME", ".local/share"));
  return absolute_folder(data / "ringside" / "runs");
}

RunId make_run_id(std::int64_t wall_ns, std::uint32_t random) {
  const std::tm utc = calendar_of(wall_ns, TimeZone::kUtc);
  std::array<char, 32> time{};
  const std::size_t length = std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::array<char, 8> tail{};
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t rest_ns = (wall_ns % kSecond + kSecond) % kSecond;
  const auto part = static_cast<std::uint32_t>(rest_ns * 65'536 / kSecond);
  std::snprintf(tail.data(), tail.size(), "-%06x", part << 8U | (random & 0xFFU));
  return std::string(time.data(), length) + tail.data();
}

Result<RunFolder> create_run_folder(const fs::path& runs_dir, const Clock& clock) {
  const fs::path home = absolute_folder(runs_dir);
  RINGSIDE_TRY(make_private_folders(home));
  // Ids of runs from the same moment differ by chance; a clash only costs another attempt.
  for (int attempt = 0; attempt < 16; ++attempt) {
    std::uint32_t random = 0;
    if (::getentropy(&random, sizeof random) != 0) {
      return failure(std::string("cannot get random bytes for a run id: ") + std::strerror(errno));
    }
    const fs::path path = home / make_run_id(clock.wall_ns(), random);
    if (::mkdir(path.c_str(), 0700) == 0) return RunFolder(path);
    if (errno != EEXIST) {
      return failure("cannot make a run folder in " + home.string() + ": " + std::strerror(errno) +
                     "; choose another place with --runs-dir or RINGSIDE_RUNS_DIR");
    }
  }
  return failure("cannot make a run folder in " + home.string() + ": no free name after 16 tries");
}

Result<FolderLock> FolderLock::take(const RunFolder& folder, Node node) {
  const std::string path = folder.lock_path(node).string();
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return failure("cannot open " + path + ": " + std::strerror(errno));
  const int error = take_both_locks(fd);
  if (error == 0) return FolderLock(fd);
  ::close(fd);
  if (error == EAGAIN || error == EACCES) {
    return bad_request("the run folder " + folder.path().string() + " already has an agent" +
                       (node == 0 ? "" : " of node " + std::to_string(node)) +
                       "; follow that one, or stop it first");
  }
  return failure("cannot lock " + path + ": " + std::strerror(error));
}

Result<FolderLock> FolderLock::adopt(const RunFolder& folder, int descriptor) {
  struct stat given {};
  struct stat there {};
  const bool same = ::fstat(descriptor, &given) == 0 &&
                    ::stat(folder.lock_path().c_str(), &there) == 0 &&
                    given.st_dev == there.st_dev && given.st_ino == there.st_ino;
  if (!same || take_both_locks(descriptor) != 0) {
    return bad_request("descriptor " + std::to_string(descriptor) +
                       " is not the lock of the run folder " + folder.path().string());
  }
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return FolderLock(descriptor);
}

bool FolderLock::is_held(const RunFolder& folder, Node node) {
  const int fd = ::open(folder.lock_path(node).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  struct flock whole = whole_file();
  const bool held = ::fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  ::close(fd);
  return held;
}

}  // namespace ringside::runlog
