#include "gui/window/display.h"

#include "tests/support/catch.h"

namespace ringside::window {
namespace {

constexpr std::string_view kX11 = "3.3.8 X11 GLX EGL OSMesa clock_gettime evdev shared";
constexpr std::string_view kWayland = "3.4.0 Wayland Null EGL OSMesa shared";

TEST_CASE("Without any display the message names the variables of X11 and of Wayland") {
  constexpr const char* kNeither = "neither DISPLAY, for X11, nor WAYLAND_DISPLAY is set";
  CHECK(lack_of_display({}, kX11, "X11: The DISPLAY environment variable is missing") == kNeither);
  CHECK(lack_of_display({"", ""}, kX11, "X11: Failed to open display ") == kNeither);
  CHECK(lack_of_display({}, "", "") == kNeither);
}

TEST_CASE("A display of Wayland is no use to a GLFW that is for X11 alone") {
  CHECK(lack_of_display({nullptr, "wayland-0"}, kX11, "X11: The DISPLAY environment variable is") ==
        "WAYLAND_DISPLAY is set, but the GLFW here (3.3.8) is for X11 alone; it needs DISPLAY, "
        "which a desktop with Xwayland sets");
}

TEST_CASE("A display that does not answer is named in GLFW's words") {
  const std::string_view refused = "X11: Failed to open display :99";
  CHECK(lack_of_display({":99", nullptr}, kX11, refused) == refused);
  CHECK(lack_of_display({":99", "wayland-0"}, kX11, refused) == refused);
  const std::string_view unknown = "Wayland: Failed to connect to display";
  CHECK(lack_of_display({nullptr, "wayland-7"}, kWayland, unknown) == unknown);
}

TEST_CASE("A GLFW that could not be loaded is named") {
  CHECK(lack_of_display({":0", nullptr}, "", "") == "the library GLFW could not be loaded");
}

TEST_CASE("On macOS no variable names a display, and GLFW's own words are given") {
  const std::string_view said = "Cocoa: Failed to connect to the window server";
  CHECK(lack_of_display({}, "3.4.0 Cocoa NSGL Null EGL OSMesa monotonic dynamic", said) == said);
}

}  // namespace
}  // namespace ringside::window
