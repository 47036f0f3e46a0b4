// A lock on a file or folder of this host (flock): one program at a time has it, and the kernel
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
  /// Tried once. A file that is missing is made, mode 0600; a folder must be there. Nothing:
  /// another has it.
  static Result<std::optional<FileLock>> try_take(const std::filesystem::path& path);
  /// Tried for so long, or until `cancelled`.
  static Result<std::optional<FileLock>> take_within(const std::filesystem::path& path,
                                                     std::int64_t wait_ns,
                                                     const std::function<bool()>& cancelled = {});
  /// Waited for without end; `waiting` is called once when another has it.
  static Result<FileLock> take(const std::filesystem::path& path,
                               const std::function<void()>& waiting = {});

  /// Below 0: moved from.
  int descriptor() const { return fd_.get(); }

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  static Result<std::optional<FileLock>> lock(const std::filesystem::path& path, int how);

  Descriptor fd_;
};

}  // namespace ringside
