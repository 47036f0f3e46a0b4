#include "protocol/host/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "protocol/host/platform.h"

namespace ringside {
namespace {

std::string why(std::string_view what, const std::filesystem::path& path) {
  return std::string(what) + " " + path.string() + ": " + std::strerror(errno);
}

Result<void> write_all(int fd, const std::byte* data, std::size_t left,
                       const std::filesystem::path& path) {
  while (left > 0) {
    const ssize_t written = ::write(fd, data, left);
    if (written < 0) {
      if (errno == EINTR) continue;
      return failure(why("cannot write", path));
    }
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  return {};
}

class PosixFile final : public ByteFile {
 public:
  PosixFile(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override { ::close(fd_); }

  Result<void> append(std::span<const std::byte> bytes) override {
    return write_all(fd_, bytes.data(), bytes.size(), path_);
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got =
          ::pread(fd_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got < 0) {
        if (errno == EINTR) continue;
        return failure(why("cannot read", path_));
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Result<std::uint64_t> size() override {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) return failure(why("cannot read the size of", path_));
    return static_cast<std::uint64_t>(info.st_size);
  }

  std::uint64_t hole_at(std::uint64_t offset) override {
    const auto end = size();
    if (!end || offset >= *end) return 0;
    const off_t data = ::lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
    if (data >= 0) return static_cast<std::uint64_t>(data) - offset;
    return errno == ENXIO ? *end - offset : 0;  // holes are not supported
  }

  Result<void> truncate(std::uint64_t bytes) override {
    if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) return failure(why("cannot cut", path_));
    return {};
  }

  Result<void> sync() override {
    if (!sync_contents(fd_)) return failure(why("cannot sync", path_));
    return {};
  }

 private:
  int fd_;
  std::filesystem::path path_;
};

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    case OpenMode::kCreateNew:
      return O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC;
    case OpenMode::kAppend:
      return O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC;
  }
  return O_RDONLY | O_CLOEXEC;
}

}  // namespace

Result<std::unique_ptr<ByteFile>> open_file(const std::filesystem::path& path, OpenMode mode) {
  const int fd = ::open(path.c_str(), flags_of(mode), 0600);
  if (fd < 0) return failure(why("cannot open", path));
  auto file = std::make_unique<PosixFile>(fd, path);
  // Files are opened non-blocking, so that a pipe is refused here and cannot block. Writing to one
  // is allowed, as to any device.
  struct stat info {};
  const bool regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (mode == OpenMode::kRead && !regular)
    return failure("cannot read " + path.string() + ": it is not a regular file");
  return file;
}

Result<std::string> read_text(const std::filesystem::path& path, std::size_t limit_bytes) {
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kRead));
  const auto size = RINGSIDE_TRY(file->size());
  if (size > limit_bytes) {
    return failure("cannot read " + path.string() + ": " + std::to_string(size) +
                   " bytes, more than the " + std::to_string(limit_bytes) + " expected at most");
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  const auto got = RINGSIDE_TRY(file->read_at(0, std::as_writable_bytes(std::span(text))));
  text.resize(got);
  return text;
}

Result<void> write_text_atomically(const std::filesystem::path& path, std::string_view text,
                                   unsigned mode) {
  std::string pattern = path.string() + ".XXXXXX";
  const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (fd < 0) return failure(why("cannot write beside", path));
  auto written = write_all(fd, reinterpret_cast<const std::byte*>(text.data()), text.size(), path);
  if (written && (::fchmod(fd, mode) != 0 || ::fsync(fd) != 0)) {
    written = failure(why("cannot write", path));
  }
  ::close(fd);
  if (written && ::rename(pattern.c_str(), path.c_str()) != 0) {
    written = failure(why("cannot replace", path));
  }
  if (!written) ::unlink(pattern.c_str());
  return written;
}

}  // namespace ringside
