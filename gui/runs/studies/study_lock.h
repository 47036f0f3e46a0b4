// Lock on a study while somebody starts, stops or deletes it, so that the window and command lines
// do not overwrite each other's file. Its file S-07.lock beside the study exists only while it is
// held. Any thread; the kernel releases it however the process ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "protocol/base/result.h"
#include "protocol/host/file_lock.h"

namespace ringside::runs {

class StudyLock {
 public:
  /// Returns a bad request if another process has held it for `wait_ns`, or once `cancelled`.
  static Result<StudyLock> take(const std::filesystem::path& runs_dir, const std::string& study,
                                std::int64_t wait_ns = 0,
                                const std::function<bool()>& cancelled = {});
  StudyLock(StudyLock&& other) noexcept = default;
  StudyLock& operator=(StudyLock&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    return *this;
  }
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;
  ~StudyLock();

 private:
  StudyLock(std::filesystem::path path, FileLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  FileLock lock_;
};

}  // namespace ringside::runs
