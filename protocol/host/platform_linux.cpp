#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "protocol/host/host.h"
#include "protocol/host/platform.h"

namespace ringside {
namespace {

// Difference between field 22 of /proc/PID/stat and the kernel's boot time when this process is in
// another time namespace; time_namespaces(7).
std::int64_t boot_offset_ticks() {
  static const std::int64_t offset = [] {
    std::ifstream file("/proc/self/timens_offsets");
    std::string clock;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    while (file >> clock >> seconds >> nanoseconds) {
      const std::int64_t ticks_per_s = ::sysconf(_SC_CLK_TCK);
      if (clock == "boottime")
        return seconds * ticks_per_s + nanoseconds * ticks_per_s / 1'000'000'000;
    }
    return std::int64_t{0};
  }();
  return offset;
}

}  // namespace

bool is_viewer_only() { return false; }

std::filesystem::path own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

std::string current_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::uint64_t process_start_ticks(std::int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields{std::string(stat_fields(line))};
  std::string field;
  fields >> field;  // field 3, the process state
  if (field == "Z" || field == "X") return 0;
  for (int number = 4; number < 22; ++number) fields >> field;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return fields ? ticks - static_cast<std::uint64_t>(boot_offset_ticks()) : 0;
}

bool end_with_parent() { return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0; }

int user_signal(int number) { return SIGRTMIN + number; }

std::vector<int> cpus_of_process() {
  std::vector<int> cpus;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(::getpid(), sizeof mask, &mask) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) cpus.push_back(cpu);
  return cpus;
}

int open_socket(int family, int type, bool nonblocking) {
  return ::socket(family, type | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

bool open_socket_pair(std::array<int, 2>& ends) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
}

bool open_pipe(std::array<int, 2>& ends) { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }

int open_unnamed_file() { return ::memfd_create("ringside", MFD_CLOEXEC); }

int open_folder(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

std::filesystem::path path_of_folder(int fd) {
  return std::filesystem::path("/proc/self/fd") / std::to_string(fd);
}

bool sync_contents(int fd) { return ::fdatasync(fd) == 0; }

void sync_file_system(int fd) { (void)::syncfs(fd); }

bool reserve_space(int fd, off_t offset, off_t bytes) {
  return ::posix_fallocate(fd, offset, bytes) == 0;
}

FileTimes times_of(const struct stat& file) { return {file.st_atim, file.st_mtim, file.st_ctim}; }

const char* folder_opener() { return "xdg-open"; }

}  // namespace ringside
