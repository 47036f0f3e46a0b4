// Decoded images that the ranks of a host share: one file that all of them map, filled by whichever
// decodes an image first, so that each is decoded once and lies in memory once. Any number of
// threads and processes of one host; what is in it stays until the file goes. It may be deleted
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
  /// One image: `planes` are valid as long as the object that gave them.
  struct Found {
    Size size;
    const std::uint8_t* planes = nullptr;
  };

  /// Whether a file there is on this host's own disk: over a network an image comes back later than
  /// it is decoded.
  static bool is_near(const std::filesystem::path& folder);
  /// Opens the file, or makes it with room for `most_bytes` of pixels. `key`: of the images and
  /// their size; another one's file is refused.
  static Result<std::unique_ptr<SharedImages>> open(const std::filesystem::path& path,
                                                    std::uint64_t key, std::size_t images,
                                                    std::size_t most_bytes);
  SharedImages(const SharedImages&) = delete;
  SharedImages& operator=(const SharedImages&) = delete;
  ~SharedImages();

  std::optional<Found> find(std::size_t index) const;
  /// Stores an image if there is still room. Returns whether it did.
  bool keep(std::size_t index, Size size, std::span<const std::uint8_t> planes);

 private:
  SharedImages(int fd, std::uint64_t* words, std::size_t bytes);

  const int fd_;
  std::uint64_t* const words_;  ///< the mapped file
  const std::size_t bytes_;     ///< of it
};

}  // namespace ringside::data
