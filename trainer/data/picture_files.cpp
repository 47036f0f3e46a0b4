#include "trainer/data/picture_files.h"

#include <new>
#include <utility>

#include "trainer/data/picture_decoder.h"
#include "trainer/data/resize.h"

namespace ringside::data {

PictureFiles::PictureFiles(std::vector<std::filesystem::path> paths, std::int64_t resize,
                           std::size_t cache_bytes)
    : paths_(std::move(paths)), resize_(resize), cache_bytes_(cache_bytes), cache_(paths_.size()) {}

Result<std::shared_ptr<const Picture>> PictureFiles::picture(std::size_t index) const {
  {
    const std::lock_guard lock(mutex_);
    if (cache_[index]) return cache_[index];
  }
  auto decoded = decode_picture(paths_[index]);
  if (!decoded) return pass(decoded);
  auto picture = std::make_shared<Picture>(std::move(*decoded));
  const Size size = resized({resize_, 0, 0, false, false}, picture->size);
  if (size != picture->size) {
    std::vector<std::uint8_t> rows;
    std::vector<std::uint8_t> planes;
    resize_planes(picture->planes.data(), 3, picture->size, size, rows, planes);
    *picture = {size, std::move(planes)};
  }
  // Kept while there is room, and never thrown out: every epoch reads all of them in a new order,
  // so the oldest is as useful as the newest.
  const std::lock_guard lock(mutex_);
  if (!cache_[index] && cached_bytes_ + picture->planes.size() <= cache_bytes_) {
    cache_[index] = picture;
    cached_bytes_ += picture->planes.size();
  }
  return picture;
}

std::size_t PictureFiles::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  return cached_bytes_;
}

}  // namespace ringside::data
