#include <array>
#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "trainer/data/image_decoder.h"

namespace ringside::data {
namespace {

/// libjpeg reports errors by longjmp, which skips destructors, so everything that must survive is
/// in this struct.
struct JpegReader {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  std::jmp_buf way_out{};
  std::array<char, JMSG_LENGTH_MAX> said{};
  bool damaged = false;
  std::vector<std::uint8_t> row;
};

JpegReader& reader_of(j_common_ptr info) { return *static_cast<JpegReader*>(info->client_data); }

[[noreturn]] void leave(j_common_ptr info) {
  JpegReader& reader = reader_of(info);
  info->err->format_message(info, reader.said.data());
  std::longjmp(reader.way_out, 1);
}

// For missing or corrupt data libjpeg only warns and continues with grey. Its other warnings (extra
// bytes between segments, unknown markers) do not affect the image; published sets have some.
void note_damage(j_common_ptr info, int level) {
  JpegReader& reader = reader_of(info);
  const int code = info->err->msg_code;
  const bool spoilt =
      code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE;
  if (level >= 0 || !spoilt || reader.damaged) return;
  reader.damaged = true;
  info->err->format_message(info, reader.said.data());
}

bool begin(JpegReader& reader, std::span<const std::uint8_t> bytes) {
  if (setjmp(reader.way_out) != 0) return false;
  jpeg_create_decompress(&reader.info);
  jpeg_mem_src(&reader.info, bytes.data(), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&reader.info, TRUE);
  const bool inks =
      reader.info.jpeg_color_space == JCS_CMYK || reader.info.jpeg_color_space == JCS_YCCK;
  reader.info.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  return true;
}

// Copies the pixels of `row` to the planes at `at`. Adobe stores CMYK inverted.
void spread(const JpegReader& reader, std::size_t plane, std::uint8_t* at) {
  const std::uint8_t* pixel = reader.row.data();
  const bool inks = reader.info.out_color_space == JCS_CMYK;
  const auto light = [&](std::uint8_t ink) {
    return static_cast<unsigned>(reader.info.saw_Adobe_marker ? ink : 255 - ink);
  };
  for (JDIMENSION x = 0; x < reader.info.output_width; ++x, ++at) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      at[channel * plane] =
          inks ? static_cast<std::uint8_t>((light(pixel[channel]) * light(pixel[3]) + 127) / 255)
               : pixel[channel];
    }
    pixel += inks ? 4 : 3;
  }
}

bool read_rows(JpegReader& reader, Image& image) {
  if (setjmp(reader.way_out) != 0) return false;
  jpeg_start_decompress(&reader.info);
  const std::size_t plane = static_cast<std::size_t>(image.size.height * image.size.width);
  JSAMPROW row = reader.row.data();
  while (reader.info.output_scanline < reader.info.output_height) {
    const std::size_t y = reader.info.output_scanline;
    jpeg_read_scanlines(&reader.info, &row, 1);
    spread(reader, plane, image.planes.data() + y * reader.info.output_width);
  }
  jpeg_finish_decompress(&reader.info);
  return true;
}

Result<Image> read(JpegReader& reader, std::span<const std::uint8_t> bytes) {
  if (!begin(reader, bytes)) return failure(reader.said.data());
  Image image;
  image.size = {reader.info.image_height, reader.info.image_width};
  RINGSIDE_TRY(check_image_size(image.size.height, image.size.width));
  const auto width = static_cast<std::size_t>(image.size.width);
  reader.row.resize(width * 4);
  image.planes.resize(static_cast<std::size_t>(image.size.height) * width * 3);
  if (!read_rows(reader, image) || reader.damaged) return failure(reader.said.data());
  return image;
}

}  // namespace

Result<Image> decode_jpeg(std::span<const std::uint8_t> bytes) {
  JpegReader reader;
  reader.info.err = jpeg_std_error(&reader.errors);
  reader.info.client_data = &reader;
  reader.errors.error_exit = leave;
  reader.errors.emit_message = note_damage;
  auto image = read(reader, bytes);
  jpeg_destroy_decompress(&reader.info);
  return image;
}

}  // namespace ringside::data
