#include "gui/window/screenshot.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <png.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::window {

Result<void> write_shot(const std::filesystem::path& file, const ui::Rect& part, int frame_height) {
  const int width = static_cast<int>(part.w);
  const int height = static_cast<int>(part.h);
  const int left = static_cast<int>(part.x);
  const int from_bottom = frame_height - static_cast<int>(part.y) - height;
  const auto row_bytes = static_cast<std::size_t>(width) * 4;
  std::vector<std::uint8_t> pixels(row_bytes * static_cast<std::size_t>(height));
  glReadBuffer(GL_BACK);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(left, from_bottom, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = 255;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  // OpenGL counts rows from the bottom: a negative stride flips the image.
  const auto stride = -static_cast<png_int_32>(row_bytes);
  if (png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), stride, nullptr) == 0) {
    return failure(fmt::format(
        "The screenshot {} could not be written: {}. Choose a folder that exists and is writable.",
        file.string(), image.message));
  }
  return {};
}

}  // namespace ringside::window
