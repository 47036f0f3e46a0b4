// A lock on a file or folder of this host (flock). One program at a time holds it, and the kernel
// releases it however that program ends. Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "protocol/base/result.h"
#include "protocol/host/descriptor.h"

namespace ringside {

class FileLock {
 public:
  /// Tries once; empty when another program holds the lock. A missing file is created with mode
  /// 0600; a folder must exist.
  static Result<std::optional<FileLock>> try_take(const std::filesystem::path& path);
  /// Tries until the timeout, or until `cancelled` returns true.
  static Result<std::optional<FileLock>> take_within(const std::filesystem::path& path,
                                                     std::int64_t wait_ns,
                                                     const std::function<bool()>& cancelled = {});
  /// Waits without limit; calls `waiting` once if another program holds the lock.
  static Result<FileLock> take(const std::filesystem::path& path,
                               const std::function<void()>& waiting = {});

  /// Negative after a move.
  int descriptor() const { return fd_.get(); }

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  static Result<std::optional<FileLock>> lock(const std::filesystem::path& path, int how);

  Descriptor fd_;
};

}  // namespace ringside
