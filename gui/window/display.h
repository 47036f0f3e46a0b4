// Why there is no display to open a window on, in words. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace ringside::window {

/// What the environment says about displays; nullptr: the variable is not set.
struct DisplayVariables {
  const char* x11 = nullptr;      ///< DISPLAY
  const char* wayland = nullptr;  ///< WAYLAND_DISPLAY
};

/// The reason that GLFW found no display. `glfw_version`: what it says it was built for, empty if
/// it is not there; `said`: its last error, may be empty.
std::string lack_of_display(const DisplayVariables& variables, std::string_view glfw_version,
                            std::string_view said);

}  // namespace ringside::window
