// Paths that are dropped on the window are returned once, in order and unchanged.
#include <GLFW/glfw3.h>
#include <stdlib.h>

#include "gui/window/window.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("folders that are dropped on the window are returned once") {
  const testing::DashboardRig rig;
  REQUIRE(::setenv("DISPLAY", rig.display().c_str(), 1) == 0);
  window::WindowOptions options;
  options.width = 300;
  options.height = 200;
  auto window = window::Window::open(options);
  REQUIRE(window);
  GLFWwindow* const handle = glfwGetCurrentContext();
  // The desktop would call this function; here the test does.
  const GLFWdropfun dropped = glfwSetDropCallback(handle, nullptr);
  REQUIRE(dropped != nullptr);
  const char* paths[] = {"/data/größer ☃", "/data/b"};
  dropped(handle, 2, paths);
  CHECK((*window)->wait(0));
  CHECK((*window)->take_dropped() == std::vector<std::string>{"/data/größer ☃", "/data/b"});
  CHECK((*window)->take_dropped().empty());
}
