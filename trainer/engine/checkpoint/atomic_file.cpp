#include "trainer/engine/checkpoint/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>

#include "trainer/core/checkpoint_names.h"
#include "trainer/dist/rendezvous.h"

namespace ringside::engine {

void FileSink::write(const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0 && error_ == 0) {
    const ssize_t written = ::write(fd_, at, size);
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

Result<std::int64_t> write_atomically(const std::filesystem::path& path,
                                      const std::function<void(FileSink&)>& fill) {
  const auto fail = [&path](const std::string& why) {
    return failure("cannot write " + path.string() + ": " + why);
  };
  std::string beside = path.string() + ".XXXXXX" + std::string(core::kDraftSuffix);
  const int fd = ::mkostemps(beside.data(), static_cast<int>(core::kDraftSuffix.size()), O_CLOEXEC);
  if (fd < 0) return fail(std::strerror(errno));
  FileSink sink(fd);
  Result<std::int64_t> size = 0;
  try {
    fill(sink);
    if (sink.error() != 0) {
      size = fail(std::strerror(sink.error()));
    } else if (::fsync(fd) != 0) {
      size = fail(std::strerror(errno));
    } else {
      size = static_cast<std::int64_t>(::lseek(fd, 0, SEEK_END));
    }
  } catch (const std::exception& thrown) {
    size = fail(dist::describe(thrown));
  }
  ::close(fd);
  if (size && ::rename(beside.c_str(), path.c_str()) != 0) size = fail(std::strerror(errno));
  if (!size) ::unlink(beside.c_str());
  return size;
}

}  // namespace ringside::engine
