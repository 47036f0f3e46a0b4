#include "trainer/data/image_files.h"

#include <functional>
#include <new>
#include <string>
#include <utility>

#include "trainer/data/image_decoder.h"
#include "trainer/data/resize.h"

namespace ringside::data {
namespace {

ImageFiles::Decoded decoded_of(std::shared_ptr<const Image> image) {
  const SharedImages::Found pixels{image->size, image->planes.data()};
  return {pixels, std::move(image)};
}

}  // namespace

ImageFiles::ImageFiles(std::vector<std::filesystem::path> paths, std::int64_t resize,
                       std::size_t cache_bytes)
    : paths_(std::move(paths)), resize_(resize), cache_bytes_(cache_bytes), cache_(paths_.size()) {}

Result<void> ImageFiles::share(const std::filesystem::path& file, std::size_t most_bytes) const {
  std::uint64_t key = std::hash<std::int64_t>{}(resize_);
  for (const auto& path : paths_) key = 31 * key + std::hash<std::string>{}(path.native());
  auto shared = RINGSIDE_TRY(SharedImages::open(file, key, paths_.size(), most_bytes));
  shared_ = std::move(shared);
  return {};
}

Result<ImageFiles::Decoded> ImageFiles::image(std::size_t index) const {
  if (shared_) {
    if (const auto found = shared_->find(index)) return Decoded{*found, nullptr};
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto& kept = cache_[index]) return decoded_of(kept);
  }
  auto decoded = RINGSIDE_TRY(decode_image(paths_[index]));
  auto image = std::make_shared<Image>(std::move(decoded));
  const Size size = resized({resize_, 0, 0, false, false}, image->size);
  if (size != image->size) {
    std::vector<std::uint8_t> rows;
    std::vector<std::uint8_t> planes;
    resize_planes(image->planes.data(), 3, image->size, size, rows, planes);
    *image = {size, std::move(planes)};
  }
  if (shared_ && shared_->keep(index, image->size, image->planes))
    return decoded_of(std::move(image));
  // Cached while there is room, and never evicted: every epoch reads all images in a new order, so
  // the oldest is as useful as the newest.
  const std::lock_guard lock(mutex_);
  if (!cache_[index] && cached_bytes_ + image->planes.size() <= cache_bytes_) {
    cache_[index] = image;
    cached_bytes_ += image->planes.size();
  }
  return decoded_of(std::move(image));
}

std::size_t ImageFiles::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  return cached_bytes_;
}

}  // namespace ringside::data
