#include "protocol/host/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "protocol/base/clock.h"

namespace ringside {
namespace {

int open_to_lock(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd >= 0 || errno != EISDIR
             ? fd
             : ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/// True when the previous owner deleted the file after we opened it and before we locked it.
bool is_gone(int fd, const std::filesystem::path& path) {
  struct stat ours {};
  struct stat there {};
  return ::fstat(fd, &ours) != 0 || ::stat(path.c_str(), &there) != 0 ||
         ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

}  // namespace

Result<std::optional<FileLock>> FileLock::lock(const std::filesystem::path& path, int how) {
  for (;;) {
    FileLock lock(open_to_lock(path));
    const bool open = lock.descriptor() >= 0;
    if (open && ::flock(lock.descriptor(), how) == 0) {
      if (!is_gone(lock.descriptor(), path)) return std::optional(std::move(lock));
      continue;
    }
    if (open && errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR)
      return failure("cannot lock " + path.string() + ": " + std::strerror(errno));
  }
}

Result<std::optional<FileLock>> FileLock::try_take(const std::filesystem::path& path) {
  return lock(path, LOCK_EX | LOCK_NB);
}

Result<std::optional<FileLock>> FileLock::take_within(const std::filesystem::path& path,
                                                      std::int64_t wait_ns,
                                                      const std::function<bool()>& cancelled) {
  const std::int64_t until_ns = mono_now_ns() + wait_ns;
  for (;;) {
    auto lock = RINGSIDE_TRY(try_take(path));
    if (lock || mono_now_ns() >= until_ns || (cancelled && cancelled())) return lock;
    pause_ns(1'000'000);
  }
}

Result<FileLock> FileLock::take(const std::filesystem::path& path,
                                const std::function<void()>& waiting) {
  auto once = RINGSIDE_TRY(try_take(path));
  if (!once && waiting) waiting();
  if (!once) once = RINGSIDE_TRY(lock(path, LOCK_EX));
  return std::move(*once);
}

}  // namespace ringside
