#include "gui/app/session_settings.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <string>
#include <system_error>

#include "protocol/base/byte_file.h"
#include "protocol/base/user_folders.h"

namespace ringside::app {

std::filesystem::path settings_path() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  return folder ? *folder / "ringside" / "window.toml" : std::filesystem::path();
}

WindowSettings read_settings(const std::filesystem::path& path) {
  WindowSettings settings;
  const auto text = read_text(path, 64 * 1024);
  if (!text) return settings;
  try {
    const toml::table table = toml::parse(*text);
    settings.light = table["theme"].value_or(std::string("dark")) == "light";
    const double scale = table["scale"].value_or(0.0);
    if (scale >= 0.75 && scale <= 3) settings.scale = scale;
    const auto width = table["width"].value_or(std::int64_t{1600});
    const auto height = table["height"].value_or(std::int64_t{900});
    if (width >= 800 && width <= 16384) settings.width = static_cast<int>(width);
    if (height >= 500 && height <= 16384) settings.height = static_cast<int>(height);
  } catch (const toml::parse_error&) {
    return {};  // A broken file of ours costs nothing but a remembered size.
  }
  return settings;
}

Result<void> write_settings(const std::filesystem::path& path, const WindowSettings& settings) {
  if (path.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return failure(fmt::format("The folder {} for the window's settings could not be made: {}.",
                               path.parent_path().string(), error.message()));
  }
  return write_text_atomically(
      path, fmt::format("theme = \"{}\"\nscale = {:.4f}\nwidth = {}\nheight = {}\n",
                        settings.light ? "light" : "dark", settings.scale, settings.width,
                        settings.height));
}

}  // namespace ringside::app
