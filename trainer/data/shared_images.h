// Decoded images shared by the ranks of a host: all map the same file, and the first rank that
// decodes an image stores it, so that each is decoded and held in memory only once. Any number of
// threads and processes of one host; its content stays until the file is deleted, which is allowed
// once all have opened it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "protocol/base/result.h"
#include "trainer/data/transform.h"

namespace ringside::data {

class SharedImages {
 public:
  /// One image; `planes` are valid as long as the SharedImages object.
  struct Found {
    Size size;
    const std::uint8_t* planes = nullptr;
  };

  /// Whether a file there is on a local disk of this host: over a network, reading an image takes
  /// longer than decoding it.
  static bool is_near(const std::filesystem::path& folder);
  /// Opens the file, or creates it with room for `most_bytes` of pixels. `key` identifies the
  /// images and their size; a file with another key is refused.
  static Result<std::unique_ptr<SharedImages>> open(const std::filesystem::path& path,
                                                    std::uint64_t key, std::size_t images,
                                                    std::size_t most_bytes);
  SharedImages(const SharedImages&) = delete;
  SharedImages& operator=(const SharedImages&) = delete;
  ~SharedImages();

  std::optional<Found> find(std::size_t index) const;
  /// Stores an image if there is room; returns whether it did.
  bool keep(std::size_t index, Size size, std::span<const std::uint8_t> planes);

 private:
  SharedImages(int fd, std::uint64_t* words, std::size_t bytes);

  const int fd_;
  std::uint64_t* const words_;  ///< the mapped file
  const std::size_t bytes_;     ///< its size in bytes
};

}  // namespace ringside::data
