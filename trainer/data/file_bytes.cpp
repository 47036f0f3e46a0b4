#include "trainer/data/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "protocol/host/files.h"

namespace ringside::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

tl::unexpected<Error> too_large(const std::filesystem::path& path, std::size_t limit) {
  return failure(path.string() + ": more than the " + std::to_string(limit) +
                 " bytes that such a file can have");
}

Result<Bytes> read_plain(const std::filesystem::path& path, std::size_t limit) {
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kRead));
  const auto size = RINGSIDE_TRY(file->size());
  if (size > limit) return too_large(path, limit);
  Bytes bytes(static_cast<std::size_t>(size));
  const auto got = RINGSIDE_TRY(file->read_at(0, std::as_writable_bytes(std::span(bytes))));
  bytes.resize(got);
  return bytes;
}

tl::unexpected<Error> damaged(const std::filesystem::path& path, const std::string& why) {
  return failure(path.string() + ": damaged gzip file (" + why + "); fetch it again");
}

Result<Bytes> read_gzip(const std::filesystem::path& path, std::size_t limit) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rbe"), gzclose_r);
  if (!file) return failure("cannot open " + path.string() + ": " + std::strerror(errno));
  gzbuffer(file.get(), 1U << 18);
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  Bytes bytes;
  for (;;) {
    const std::size_t old = bytes.size();
    if (old > limit) return too_large(path, limit);
    bytes.resize(old + kPiece);
    const int got = gzread(file.get(), bytes.data() + old, static_cast<unsigned>(kPiece));
    int code = Z_OK;
    const char* text = gzerror(file.get(), &code);
    // A truncated file returns the data that it has, then Z_BUF_ERROR.
    if (got < 0 || code != Z_OK) return damaged(path, text != nullptr ? text : "unknown error");
    bytes.resize(old + static_cast<std::size_t>(got));
    if (got == 0) break;
  }
  // zlib passes files that are not gzip through unchanged.
  if (gzdirect(file.get()) != 0) return damaged(path, "not in gzip format");
  return bytes;
}

Result<void> write_all(int fd, std::span<const std::uint8_t> bytes,
                       const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("cannot write " + path.string() + ": " + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<Bytes> read_bytes(const std::filesystem::path& path, std::size_t limit_bytes) {
  return path.extension() == ".gz" ? read_gzip(path, limit_bytes) : read_plain(path, limit_bytes);
}

Result<void> write_bytes(const std::filesystem::path& path,
                         std::initializer_list<std::span<const std::uint8_t>> parts) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return failure("cannot create " + path.string() + ": " + std::strerror(errno));
  Result<void> written;
  for (const auto part : parts) {
    if (written) written = write_all(fd, part, path);
  }
  if (written && ::fsync(fd) != 0) {
    written = failure("cannot write " + path.string() + ": " + std::strerror(errno));
  }
  ::close(fd);
  return written;
}

}  // namespace ringside::data
