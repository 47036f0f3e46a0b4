#include <csetjmp>
#include <cstring>
#include <string>

#include <png.h>

#include "trainer/data/image_decoder.h"

namespace ringside::data {
namespace {

/// libpng reports errors by longjmp, so everything that must survive is in this struct.
struct PngReader {
  std::span<const std::uint8_t> left;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string said;
  std::vector<std::uint8_t> pixels;  ///< interleaved
  std::vector<png_bytep> rows;
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
  static_cast<PngReader*>(png_get_error_ptr(png))->said = message;
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void give_bytes(png_structp png, png_bytep into, std::size_t count) {
  auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader.left.size()) png_error(png, "the file ends too early");
  std::memcpy(into, reader.left.data(), count);
  reader.left = reader.left.subspan(count);
}

bool begin(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_read_fn(reader.png, &reader, give_bytes);
  png_read_info(reader.png, reader.info);
  const int color = png_get_color_type(reader.png, reader.info);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(reader.png);
  if ((color & PNG_COLOR_MASK_COLOR) == 0) {
    if (png_get_bit_depth(reader.png, reader.info) < 8) png_set_expand_gray_1_2_4_to_8(reader.png);
    png_set_gray_to_rgb(reader.png);
  }
  png_set_strip_16(reader.png);
  png_set_strip_alpha(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, reader.rows.data());
  png_read_end(reader.png, nullptr);
  return true;
}

Result<Image> read(PngReader& reader) {
  if (!begin(reader)) return failure(reader.said);
  Image image;
  image.size = {png_get_image_height(reader.png, reader.info),
                png_get_image_width(reader.png, reader.info)};
  RINGSIDE_TRY(check_image_size(image.size.height, image.size.width));
  const auto height = static_cast<std::size_t>(image.size.height);
  const auto width = static_cast<std::size_t>(image.size.width);
  if (png_get_rowbytes(reader.png, reader.info) != width * 3) {
    return failure("its colours cannot be read as RGB");
  }
  reader.pixels.resize(height * width * 3);
  for (std::size_t y = 0; y < height; ++y) reader.rows.push_back(&reader.pixels[y * width * 3]);
  if (!read_rows(reader)) return failure(reader.said);
  image.planes.resize(reader.pixels.size());
  for (std::size_t i = 0; i < height * width; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      image.planes[c * height * width + i] = reader.pixels[i * 3 + c];
    }
  }
  return image;
}

}  // namespace

Result<Image> decode_png(std::span<const std::uint8_t> bytes) {
  PngReader reader;
  reader.left = bytes;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, leave, ignore_warning);
  if (reader.png == nullptr) return failure("libpng could not be started");
  reader.info = png_create_info_struct(reader.png);
  Result<Image> image = failure("libpng could not be started");
  if (reader.info != nullptr) image = read(reader);
  png_destroy_read_struct(&reader.png, &reader.info, nullptr);
  return image;
}

}  // namespace ringside::data
