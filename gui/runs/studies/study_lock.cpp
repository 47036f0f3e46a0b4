#include "gui/runs/studies/study_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "gui/runs/studies/study.h"
#include "protocol/base/clock.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

/// Whoever had the lock took the file away between our opening and our locking it.
bool is_gone(int fd, const fs::path& path) {
  struct stat ours {};
  struct stat there {};
  return ::fstat(fd, &ours) != 0 || ::stat(path.c_str(), &there) != 0 ||
         ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

/// A locked descriptor, or -1 with errno; EWOULDBLOCK: another has it.
int lock_once(const fs::path& path) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    const int error = ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (error == 0 && !is_gone(fd, path)) return fd;
    ::close(fd);
    errno = error;
    if (error != 0 && error != EINTR) return -1;
  }
}

}  // namespace

Result<StudyLock> StudyLock::take(const fs::path& runs_dir, const std::string& study,
                                  std::int64_t wait_ns, const std::function<bool()>& cancelled) {
  std::error_code error;
  fs::create_directories(studies_dir(runs_dir), error);
  const fs::path path = studies_dir(runs_dir) / (study + ".lock");
  const std::int64_t until_ns = mono_now_ns() + wait_ns;
  for (;;) {
    const int fd = lock_once(path);
    if (fd >= 0) return StudyLock(path, fd);
    if (errno != EWOULDBLOCK)
      return failure("cannot lock " + path.string() + ": " + std::strerror(errno));
    if (mono_now_ns() >= until_ns || (cancelled && cancelled()))
      return bad_request("study " + study +
                         " is being started, stopped or deleted by another program; try again when "
                         "that is done");
    pause_ns(5'000'000);
  }
}

StudyLock::StudyLock(fs::path path, int fd) : path_(std::move(path)), fd_(fd) {}

StudyLock::StudyLock(StudyLock&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

StudyLock& StudyLock::operator=(StudyLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

StudyLock::~StudyLock() {
  if (fd_ < 0) return;
  std::error_code ignored;
  fs::remove(path_, ignored);  // first: who has it open looks whether it is there still
  ::close(fd_);
}

}  // namespace ringside::runs
