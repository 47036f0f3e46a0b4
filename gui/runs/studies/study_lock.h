// Held while somebody starts, stops or deletes a study, so that window and command lines do not
// overwrite each other's file: S-07.lock beside it, which goes with the lock. Any thread; the
// kernel releases it when the process ends, however it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "protocol/base/result.h"

namespace ringside::runs {

class StudyLock {
 public:
  /// A bad request where another has had it for `wait_ns`, or until `cancelled`.
  static Result<StudyLock> take(const std::filesystem::path& runs_dir, const std::string& study,
                                std::int64_t wait_ns = 0,
                                const std::function<bool()>& cancelled = {});
  StudyLock(StudyLock&& other) noexcept;
  StudyLock& operator=(StudyLock&& other) noexcept;
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;
  ~StudyLock();

 private:
  StudyLock(std::filesystem::path path, int fd);
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace ringside::runs
