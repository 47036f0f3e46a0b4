#include "gui/window/display.h"

#include <fmt/format.h>

namespace ringside::window {
namespace {

bool given(const char* variable) { return variable != nullptr && *variable != '\0'; }

}  // namespace

std::string lack_of_display(const DisplayVariables& variables, std::string_view glfw_version,
                            std::string_view said) {
  if (glfw_version.find("Cocoa") != std::string_view::npos) return std::string(said);
  if (!given(variables.x11) && !given(variables.wayland))
    return "neither DISPLAY, for X11, nor WAYLAND_DISPLAY is set";
  if (glfw_version.empty()) return "the library GLFW could not be loaded";
  const bool for_wayland = glfw_version.find("Wayland") != std::string_view::npos;
  if (!given(variables.x11) && !for_wayland)
    return fmt::format(
        "WAYLAND_DISPLAY is set, but the GLFW here ({}) is for X11 alone; it needs DISPLAY, which "
        "a desktop with Xwayland sets",
        glfw_version.substr(0, glfw_version.find(' ')));
  return std::string(said);
}

}  // namespace ringside::window
