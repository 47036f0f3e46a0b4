// Nobody has run this yet: it is compiled and linked, on Linux.
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <sys/param.h>
#include <sys/proc.h>
#include <sys/socket.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "protocol/host/host.h"
#include "protocol/host/platform.h"

namespace ringside {
namespace {

// A program that another thread starts between the two calls inherits the descriptor: macOS has no
// call that does both.
bool keep(int fd) { return fd >= 0 && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0; }

// Writing to a socket whose other end is closed is an error instead of a signal, for all calls.
bool without_signal(int fd) {
  const int on = 1;
  return ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) == 0;
}

}  // namespace

bool is_viewer_only() { return true; }

std::filesystem::path own_program() {
  std::array<char, 4 * PATH_MAX> name{};
  auto size = static_cast<std::uint32_t>(name.size());
  if (::_NSGetExecutablePath(name.data(), &size) != 0) return {};
  std::error_code error;
  auto program = std::filesystem::canonical(name.data(), error);
  return error ? std::filesystem::path() : program;
}

std::string current_boot_id() {
  std::array<char, 64> id{};
  std::size_t size = id.size() - 1;
  if (::sysctlbyname("kern.bootsessionuuid", id.data(), &size, nullptr, 0) != 0) return {};
  return id.data();
}

std::uint64_t process_start_ticks(std::int32_t pid) {
  std::array<int, 4> name{CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
  kinfo_proc process{};
  std::size_t size = sizeof process;
  const bool found = ::sysctl(name.data(), name.size(), &process, &size, nullptr, 0) == 0 &&
                     size == sizeof process;
  if (!found || process.kp_proc.p_stat == SZOMB) return 0;
  const timeval& start = process.kp_proc.p_starttime;
  return static_cast<std::uint64_t>(start.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(start.tv_usec);
}

bool end_with_parent() { return false; }

int user_signal(int) { return -1; }

std::vector<int> cpus_of_process() { return {}; }

int open_socket(int family, int type, bool nonblocking) {
  const int fd = ::socket(family, type, 0);
  if (keep(fd) && without_signal(fd) && (!nonblocking || ::fcntl(fd, F_SETFL, O_NONBLOCK) == 0))
    return fd;
  const int reason = errno;
  if (fd >= 0) ::close(fd);
  errno = reason;
  return -1;
}

bool open_socket_pair(std::array<int, 2>& ends) {
  return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0 && keep(ends[0]) &&
         keep(ends[1]) && without_signal(ends[0]) && without_signal(ends[1]);
}

bool open_pipe(std::array<int, 2>& ends) {
  return ::pipe(ends.data()) == 0 && keep(ends[0]) && keep(ends[1]);
}

int open_unnamed_file() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  std::string name = (folder / "ringside.XXXXXX").string();
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

int open_folder(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

std::filesystem::path path_of_folder(int fd) {
  std::array<char, PATH_MAX> path{};
  return ::fcntl(fd, F_GETPATH, path.data()) == 0 ? path.data() : std::filesystem::path();
}

bool sync_contents(int fd) { return ::fsync(fd) == 0; }

void sync_file_system(int) { ::sync(); }

bool reserve_space(int fd, off_t offset, off_t bytes) {
  fstore_t space{F_ALLOCATEALL, F_PEOFPOSMODE, 0, bytes, 0};
  return ::fcntl(fd, F_PREALLOCATE, &space) == 0 && ::ftruncate(fd, offset + bytes) == 0;
}

FileTimes times_of(const struct stat& file) {
  return {file.st_atimespec, file.st_mtimespec, file.st_ctimespec};
}

const char* folder_opener() { return "open"; }

}  // namespace ringside
