// Functions that systems do differently; platform_linux.cpp and platform_mac.cpp implement it, and
// CMake compiles one of them. Any thread. Functions that return a descriptor or true on success
// leave the reason of a failure in errno; the descriptors are not inherited by other programs.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <vector>

namespace ringside {

/// Whether this system has only the viewer: it starts no runs, and sees nothing of other processes
/// but what is below.
bool is_viewer_only();

/// The file of this program; empty: unknown.
std::filesystem::path own_program();

/// Start time of a process in a unit of the system, the same for everybody who asks during one
/// boot; 0 when the process does not exist or is a zombie.
std::uint64_t process_start_ticks(std::int32_t pid);

/// Ends this process when its parent ends; called between fork and exec.
bool end_with_parent();

/// Signal for the programs of a user, numbered from 0; -1: this system has none.
int user_signal(int number);

/// Numbers of the CPUs that the main thread of this process may run on, ascending; empty: the
/// system does not say.
std::vector<int> cpus_of_process();

int open_socket(int family, int type, bool nonblocking = false);
/// Two connected local sockets.
bool open_socket_pair(std::array<int, 2>& ends);
/// The end to read from and the end to write to.
bool open_pipe(std::array<int, 2>& ends);
/// An empty file without a name.
int open_unnamed_file();
/// A folder that needs no permission to be listed, where the system has that.
int open_folder(const std::filesystem::path& folder);
/// Path of an open folder, wherever it has been moved.
std::filesystem::path path_of_folder(int fd);

/// Writes the contents of a file to the disk.
bool sync_contents(int fd);
/// Writes the file system of a descriptor to the disk.
void sync_file_system(int fd);
/// Makes the file longer, with disk space of its own.
bool reserve_space(int fd, off_t offset, off_t bytes);

struct FileTimes {
  timespec read;
  timespec written;
  timespec changed;  ///< contents or attributes; programs cannot set it
};
FileTimes times_of(const struct stat& file);

inline std::int64_t wall_ns_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
inline std::int64_t written_wall_ns(const struct stat& file) {
  return wall_ns_of(times_of(file).written);
}

/// Program that opens a folder in the desktop's file manager.
const char* folder_opener();

}  // namespace ringside
