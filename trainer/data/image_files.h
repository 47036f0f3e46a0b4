// Images that stay in their files until a batch needs them. Decoded ones are kept up to a limit
// of memory, so that a small folder is decoded once; shared by the ranks of a host where they say
// so. image() may be called by any number of threads.
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
  /// One image. Where it is not shared it lies in `own`.
  struct Decoded {
    SharedImages::Found pixels;
    std::shared_ptr<const Image> own;
  };

  /// `resize`: as TransformOptions has it. `cache_bytes`: of pixels kept, over all threads.
  ImageFiles(std::vector<std::filesystem::path> paths, std::int64_t resize,
             std::size_t cache_bytes);

  /// The image of this file, decoded and resized. Fails with the file's name when it is broken.
  Result<Decoded> image(std::size_t index) const;

  /// From here on decoded images are shared with whoever opens the same file, up to `most_bytes`.
  /// To be called before the first image().
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
