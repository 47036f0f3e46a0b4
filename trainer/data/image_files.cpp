#include "trainer/data/image_files.h"

#include <new>
#include <utility>

#include "trainer/data/image_decoder.h"
#include "trainer/data/resize.h"

namespace ringside::data {

ImageFiles::ImageFiles(std::vector<std::filesystem::path> paths, std::int64_t resize,
                       std::size_t cache_bytes)
    : paths_(std::move(paths)), resize_(resize), cache_bytes_(cache_bytes), cache_(paths_.size()) {}

Result<std::shared_ptr<const Image>> ImageFiles::image(std::size_t index) const {
  {
    const std::lock_guard lock(mutex_);
    if (cache_[index]) return cache_[index];
  }
  auto decoded = decode_image(paths_[index]);
  if (!decoded) return pass(decoded);
  auto image = std::make_shared<Image>(std::move(*decoded));
  const Size size = resized({resize_, 0, 0, false, false}, image->size);
  if (size != image->size) {
    std::vector<std::uint8_t> rows;
    std::vector<std::uint8_t> planes;
    resize_planes(image->planes.data(), 3, image->size, size, rows, planes);
    *image = {size, std::move(planes)};
  }
  // Kept while there is room, and never thrown out: every epoch reads all of them in a new order,
  // so the oldest is as useful as the newest.
  const std::lock_guard lock(mutex_);
  if (!cache_[index] && cached_bytes_ + image->planes.size() <= cache_bytes_) {
    cache_[index] = image;
    cached_bytes_ += image->planes.size();
  }
  return image;
}

std::size_t ImageFiles::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  return cached_bytes_;
}

}  // namespace ringside::data
