// One process at a time makes or fetches a data set; the others wait. Freed when the object, or the
// process, ends.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "protocol/base/descriptor.h"
#include "protocol/base/result.h"

namespace ringside::data {

class FolderLock {
 public:
  /// flock on the file `path`, which is made. `waiting` is called once when another holds it.
  static Result<FolderLock> take(const std::filesystem::path& path,
                                 const std::function<void()>& waiting = {}) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return failure("cannot open " + path.string() + ": " + std::strerror(errno));
    FolderLock lock(fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno == EWOULDBLOCK && waiting) waiting();
    while (::flock(fd, LOCK_EX) != 0) {
      if (errno != EINTR) {
        return failure("cannot lock " + path.string() + ": " + std::strerror(errno));
      }
    }
    return lock;
  }

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  Descriptor fd_;
};

}  // namespace ringside::data
