// Images that are read from their files when a batch needs them. Decoded images are cached up to a
// memory limit, so that a small folder is decoded only once; the ranks of a host can share the
// cache. Any number of threads may call image().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "protocol/base/result.h"
#include "trainer/data/shared_images.h"
#include "trainer/data/transform.h"

namespace ringside::data {

/// Red, green and blue planes, one after the other.
struct Image {
  Size size;
  std::vector<std::uint8_t> planes;
};

class ImageFiles {
 public:
  /// One image; its pixels are in `own` unless it is shared.
  struct Decoded {
    SharedImages::Found pixels;
    std::shared_ptr<const Image> own;
  };

  /// `resize` is as in TransformOptions. `cache_bytes` limits the cached pixels of all threads.
  ImageFiles(std::vector<std::filesystem::path> paths, std::int64_t resize,
             std::size_t cache_bytes);

  /// The image of this file, decoded and resized. Fails with the file's name when it is corrupt.
  Result<Decoded> image(std::size_t index) const;

  /// From now on decoded images are shared with all processes that open the same file, up to
  /// `most_bytes`. Call before the first image().
  Result<void> share(const std::filesystem::path& file, std::size_t most_bytes) const;

  std::size_t cached_bytes() const;

 private:
  const std::vector<std::filesystem::path> paths_;
  const std::int64_t resize_;
  const std::size_t cache_bytes_;
  mutable std::mutex mutex_;
  mutable std::size_t cached_bytes_ = 0;
  mutable std::vector<std::shared_ptr<const Image>> cache_;
  mutable std::unique_ptr<SharedImages> shared_;
};

}  // namespace ringside::data
