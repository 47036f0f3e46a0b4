#include "trainer/data/shared_images.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace ringside::data {
namespace {

// The file consists of 64-bit words: the key, the number of bytes allocated, then the position of
// each image (0: none yet). An image is its height and width, followed by its planes.
constexpr std::size_t kKeyWord = 0;
constexpr std::size_t kUsedWord = 1;
constexpr std::size_t kFirstPlace = 2;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

tl::unexpected<Error> cannot_share(const std::filesystem::path& path, int fd) {
  auto error = failure("images cannot be shared through " + path.string() + ": " +
                       std::strerror(errno) + "; each rank decodes its own");
  if (fd >= 0) ::close(fd);
  return error;
}

/// The size of the file in bytes; the first process creates it without images. 0: failed.
std::size_t make_once(int fd, std::uint64_t key, std::size_t images, std::size_t most_bytes) {
  if (::flock(fd, LOCK_EX) != 0) return 0;
  struct stat status {};
  bool fine = ::fstat(fd, &status) == 0;
  if (fine && status.st_size == 0) {
    const std::array<std::uint64_t, 2> head{key, (kFirstPlace + images) * kWordBytes};
    fine = ::posix_fallocate(fd, 0, static_cast<off_t>(head[kUsedWord])) == 0 &&
           ::pwrite(fd, head.data(), sizeof head, 0) == sizeof head &&
           ::ftruncate(fd, static_cast<off_t>(head[kUsedWord] + most_bytes)) == 0 &&
           ::fstat(fd, &status) == 0;
  }
  (void)::flock(fd, LOCK_UN);
  return fine ? static_cast<std::size_t>(status.st_size) : 0;
}

}  // namespace

// File system types as in statfs(2): NFS, SMB, CIFS, Lustre, GPFS, BeeGFS, FUSE, Ceph, 9P.
bool SharedImages::is_near(const std::filesystem::path& folder) {
  constexpr std::array<std::uint32_t, 9> kFar{0x6969,     0xFE534D42, 0xFF534D42,
                                              0x0BD00BD0, 0x47504653, 0x19830326,
                                              0x65735546, 0x00C36400, 0x01021997};
  struct statfs where {};
  return ::statfs(folder.c_str(), &where) == 0 &&
         std::find(kFar.begin(), kFar.end(), static_cast<std::uint32_t>(where.f_type)) ==
             kFar.end();
}

Result<std::unique_ptr<SharedImages>> SharedImages::open(const std::filesystem::path& path,
                                                         std::uint64_t key, std::size_t images,
                                                         std::size_t most_bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::size_t bytes = fd < 0 ? 0 : make_once(fd, key, images, most_bytes);
  if (bytes < (kFirstPlace + images) * kWordBytes) return cannot_share(path, fd);
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (mapped == MAP_FAILED) return cannot_share(path, fd);
  std::unique_ptr<SharedImages> shared(
      new SharedImages(fd, static_cast<std::uint64_t*>(mapped), bytes));
  errno = EEXIST;
  return shared->words_[kKeyWord] == key ? Result<std::unique_ptr<SharedImages>>(std::move(shared))
                                         : cannot_share(path, -1);
}

SharedImages::SharedImages(int fd, std::uint64_t* words, std::size_t bytes)
    : fd_(fd), words_(words), bytes_(bytes) {}

SharedImages::~SharedImages() {
  ::munmap(words_, bytes_);
  ::close(fd_);
}

std::optional<SharedImages::Found> SharedImages::find(std::size_t index) const {
  const std::uint64_t at =
      std::atomic_ref(words_[kFirstPlace + index]).load(std::memory_order_acquire);
  if (at == 0) return std::nullopt;
  const std::uint64_t* image = words_ + at / kWordBytes;
  return Found{{static_cast<std::int64_t>(image[0]), static_cast<std::int64_t>(image[1])},
               reinterpret_cast<const std::uint8_t*>(image + 2)};
}

// Written by a system call, not through the mapping, since a full disk is then an error and not a
// signal.
bool SharedImages::keep(std::size_t index, Size size, std::span<const std::uint8_t> planes) {
  std::array<std::uint64_t, 2> head{static_cast<std::uint64_t>(size.height),
                                    static_cast<std::uint64_t>(size.width)};
  const std::size_t bytes = sizeof head + planes.size();
  const std::size_t whole = (bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
  std::atomic_ref used(words_[kUsedWord]);
  if (used.load() + whole > bytes_) return false;
  const std::uint64_t at = used.fetch_add(whole);
  if (at + whole > bytes_) return false;
  const std::array<iovec, 2> parts{
      {{head.data(), sizeof head}, {const_cast<std::uint8_t*>(planes.data()), planes.size()}}};
  const ssize_t written =
      ::pwritev(fd_, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(at));
  if (written != static_cast<ssize_t>(bytes)) return false;
  std::atomic_ref(words_[kFirstPlace + index]).store(at, std::memory_order_release);
  return true;
}

}  // namespace ringside::data
