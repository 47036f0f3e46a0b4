// Shared by the fuzz targets: the input as bytes, as text and as a file in memory, and a check that
// ends the program. libFuzzer calls a target from one thread.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ringside::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program if a check fails; libFuzzer saves the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// An unnamed file for readers that need a path. Removed with the object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(fd_ >= 0);
    require(::write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(fd_); }

  std::filesystem::path path() const { return kFolder + name(); }
  std::string name() const { return std::to_string(fd_); }
  static inline const std::string kFolder = "/proc/self/fd/";

 private:
  int fd_;
};

}  // namespace ringside::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
