#include "gui/window/window_settings.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <string>
#include <system_error>

#include "protocol/base/byte_file.h"
#include "protocol/base/user_folders.h"

namespace ringside::window {
namespace {

constexpr const char* kDockNames[ui::kDocks] = {"speedup", "ranks", "logs"};

const char* column_key(std::size_t column) {
  return view::key_of(static_cast<view::RankColumn>(column));
}

/// What is not understood is as it was drawn.
template <class View>
ui::Arrangement arrangement_of(const View& layout) {
  ui::Arrangement arrangement;
  for (std::size_t i = 0; i < ui::kSplits; ++i) {
    const auto which = static_cast<ui::Split>(i);
    const double share = layout[ui::name_of(which)].value_or(0.0);
    if (share > 0 && share < 1) arrangement.share(which) = static_cast<float>(share);
  }
  for (std::size_t i = 0; i < ui::kDocks; ++i)
    arrangement.closed[i] = layout["closed"][kDockNames[i]].value_or(false);
  for (std::size_t i = 0; i < view::kRankColumnCount; ++i)
    arrangement.hidden[i] = layout["hidden"][column_key(i)].value_or(false);
  return arrangement;
}

/// Only what differs from the drawings.
std::string layout_text(const ui::Arrangement& arrangement) {
  std::string text;
  for (std::size_t i = 0; i < ui::kSplits; ++i) {
    if (arrangement.shares[i] > 0)
      text += fmt::format("{} = {:.4f}\n", ui::name_of(static_cast<ui::Split>(i)),
                          arrangement.shares[i]);
  }
  for (std::size_t i = 0; i < ui::kDocks; ++i) {
    if (arrangement.closed[i]) text += fmt::format("closed.{} = true\n", kDockNames[i]);
  }
  for (std::size_t i = 0; i < view::kRankColumnCount; ++i) {
    if (arrangement.hidden[i]) text += fmt::format("hidden.{} = true\n", column_key(i));
  }
  return text.empty() ? text : "[layout]\n" + text;
}

}  // namespace

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
    const auto width = table["width"].value_or(std::int64_t{0});
    const auto height = table["height"].value_or(std::int64_t{0});
    if (width >= kLeastWidth && width <= 16384 && height >= kLeastHeight && height <= 16384) {
      settings.width = static_cast<int>(width);
      settings.height = static_cast<int>(height);
    }
    settings.page = table["place"].value_or(std::string());
    settings.arrangement = arrangement_of(table["layout"]);
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
  const bool known =
      settings.page == "launch" || settings.page == "live" || settings.page == "runs";
  const std::string page = known ? fmt::format("place = \"{}\"\n", settings.page) : "";
  return write_text_atomically(
      path, fmt::format("theme = \"{}\"\nscale = {:.4f}\nwidth = {}\nheight = {}\n{}{}",
                        settings.light ? "light" : "dark", settings.scale, settings.width,
                        settings.height, page, layout_text(settings.arrangement)));
}

}  // namespace ringside::window
