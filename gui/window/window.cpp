#include "gui/window/window.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <png.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "gui/ui/fonts.h"
#include "gui/ui/ground.h"
#include "gui/ui/layout.h"
#include "gui/ui/rect.h"
#include "gui/ui/theme.h"
#include "gui/ui/window/behind_sheet.h"
#include "gui/window/display.h"
#include "gui/window/later_input.h"
#include "protocol/base/result.h"

namespace ringside::window {
namespace {

/// Writes `part` of the back buffer, in pixels from its upper left corner; `frame_height` is the
/// height of the whole buffer. The error names the file and the reason.
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

constexpr int kUsualWidth = 1600;  // at scale 1
constexpr int kUsualHeight = 900;
/// GLFW_WAYLAND_APP_ID, which headers before 3.4 do not have: the name of the desktop entry.
constexpr int kWaylandAppId = 0x00026001;

std::string last_glfw_error;

void keep_error(int, const char* text) { last_glfw_error = text; }

tl::unexpected<Error> no_window(std::string_view what, const std::string& why) {
  return bad_request(
      fmt::format("{}{}. Everything also works without a window: 'ringside run demo' trains in the "
                  "terminal, 'ringside --help' "
                  "lists the rest.",
                  what, why.empty() ? why : fmt::format(" ({})", why)));
}

tl::unexpected<Error> no_display() {
  const char* const version = glfwGetVersionString();
  return no_window("There is no display to open a window on",
                   lack_of_display({std::getenv("DISPLAY"), std::getenv("WAYLAND_DISPLAY")},
                                   version == nullptr ? "" : version, last_glfw_error));
}

/// Updates textures. True if a font texture changed; others encode their content in the draw lists
/// (gui/ui/chart/line_image.h).
bool fonts_updated(ImDrawData& data) {
  bool fonts = false;
  if (data.Textures == nullptr) return fonts;
  for (ImTextureData* texture : *data.Textures) {
    if (texture->Status == ImTextureStatus_OK) continue;
    fonts = fonts || ImGui::GetIO().Fonts->TexList.contains(texture);
    ImGui_ImplOpenGL3_UpdateTexture(texture);
  }
  return fonts;
}

/// Clears a part of a frame with `rows` rows, in pixels from the top left.
void clear(const ui::Rect& part, float rows, ImU32 color) {
  const ImVec4 back = ImGui::ColorConvertU32ToFloat4(color);
  glScissor(static_cast<int>(part.x), static_cast<int>(rows - part.bottom()),
            static_cast<int>(part.w), static_cast<int>(part.h));
  glClearColor(back.x, back.y, back.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
}

/// Clears the part of the command's area that its clip rectangle contains.
void clear_ground(const ImDrawList*, const ImDrawCmd* command) {
  const ui::Ground& ground = *ui::ground_of(*command);
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec2 scale = data.FramebufferScale;
  const ImVec4& clip = command->ClipRect;
  const float x = (std::max(clip.x, ground.area.x) - data.DisplayPos.x) * scale.x;
  const float y = (std::max(clip.y, ground.area.y) - data.DisplayPos.y) * scale.y;
  const float right = (std::min(clip.z, ground.area.right()) - data.DisplayPos.x) * scale.x;
  const float bottom = (std::min(clip.w, ground.area.bottom()) - data.DisplayPos.y) * scale.y;
  if (right > x && bottom > y)
    clear({x, y, right - x, bottom - y}, data.DisplaySize.y * scale.y, ground.color);
}

}  // namespace

Result<std::unique_ptr<Window>> Window::open(const WindowOptions& options) {
  glfwSetErrorCallback(keep_error);
  last_glfw_error.clear();
  if (glfwInit() == GLFW_FALSE) return no_display();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "ringside");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "ringside");
  glfwWindowHintString(kWaylandAppId, "io.ringside.Ringside");
  const bool usual = options.width <= 0 || options.height <= 0;
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, usual ? GLFW_TRUE : GLFW_FALSE);
  GLFWwindow* const handle =
      glfwCreateWindow(usual ? kUsualWidth : options.width, usual ? kUsualHeight : options.height,
                       options.title.c_str(), nullptr, nullptr);
  if (handle == nullptr) {
    auto error = no_window("The window needs OpenGL 3.3, which this display does not support",
                           last_glfw_error);
    glfwTerminate();
    return error;
  }
  std::unique_ptr<Window> window(new Window(handle));
  window->start_imgui(options);
  return window;
}

void Window::start_imgui(const WindowOptions& options) {
  glfwMakeContextCurrent(handle_);
  glfwSwapInterval(0);  // only changes are drawn, and FramePace limits the rate for data
  glfwSetWindowSizeLimits(handle_, 300, 200, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwSetWindowUserPointer(handle_, this);
  glfwSetWindowRefreshCallback(handle_, [](GLFWwindow* which) {
    static_cast<Window*>(glfwGetWindowUserPointer(which))->repaint_ = true;
  });
  glfwSetDropCallback(handle_, [](GLFWwindow* which, int count, const char** paths) {
    auto* window = static_cast<Window*>(glfwGetWindowUserPointer(which));
    for (int i = 0; i < count; ++i) window->dropped_.emplace_back(paths[i]);
  });
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;
  io.ConfigNavMoveSetMousePos = false;
  font_notes_ = ui::load_fonts();
  ImGui_ImplGlfw_InitForOpenGL(handle_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  ui::set_ground_call(clear_ground);
  presenter_.emplace(handle_);
  title_ = options.title;
  mouse_ = options.mouse;
  set_theme(options.light, options.user_scale > 0 ? options.user_scale : screen_scale());
}

Window::~Window() {
  ui::set_ground_call(nullptr);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(handle_);
  glfwTerminate();
}

bool Window::input_waiting() const { return ImGui::GetCurrentContext()->InputEventsQueue.Size > 0; }

bool Window::wait(double seconds) {
  if (seconds > 0) {
    glfwWaitEventsTimeout(seconds);
  } else {
    glfwPollEvents();
  }
  return input_waiting() || repaint_ || look_changed_ || !dropped_.empty();
}

bool Window::closing() const { return glfwWindowShouldClose(handle_) != 0; }

void Window::close() { glfwSetWindowShouldClose(handle_, GLFW_TRUE); }

void Window::size(int& width, int& height) const { glfwGetWindowSize(handle_, &width, &height); }

bool Window::visible() const { return glfwGetWindowAttrib(handle_, GLFW_ICONIFIED) == 0; }

void Window::wake() { glfwPostEmptyEvent(); }

std::vector<std::string> Window::take_dropped() { return std::exchange(dropped_, {}); }

void Window::set_title(const std::string& title) {
  if (title == title_) return;
  title_ = title;
  glfwSetWindowTitle(handle_, title.c_str());
}

void Window::set_theme(bool light, double user_scale) {
  light_ = light;
  user_scale_ = std::clamp(user_scale, 0.75, 3.0);
  look_changed_ = true;
}

double Window::screen_scale() const {
  const auto screen = static_cast<double>(ImGui_ImplGlfw_GetContentScaleForWindow(handle_));
  return std::clamp(screen, 1.0, 3.0);
}

void Window::resize(int width, int height) {
  if (width <= 0 || height <= 0) {
    width = static_cast<int>(kUsualWidth * screen_scale());
    height = static_cast<int>(kUsualHeight * screen_scale());
  }
  glfwSetWindowSize(handle_, width, height);
}

void Window::begin_frame() {
  int width = 0;
  int height = 0;
  glfwGetWindowSize(handle_, &width, &height);
  const float scale = ui::fitting_scale(static_cast<float>(user_scale_), static_cast<float>(width),
                                        static_cast<float>(height));
  if (look_changed_ || scale != shown_scale_) {
    shown_scale_ = scale;
    ui::set_theme({light_, scale});
    ui::apply_style();
    look_changed_ = false;
    repaint_ = true;
  }
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  if (!mouse_) ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  {
    const LaterInput later;
    ImGui::NewFrame();
  }
  ++counts_.built;
}

ui::Rect Window::shot_area(int width, int height) const {
  const ui::Rect whole{0, 0, static_cast<float>(width), static_cast<float>(height)};
  if (shot_part_.empty()) return whole;
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  return {shot_part_.x * scale.x, shot_part_.y * scale.y, shot_part_.w * scale.x,
          shot_part_.h * scale.y};
}

void Window::paint(ImDrawData& data, const ui::Rect& part, int height) const {
  const DrawOnly only(data, part);
  glEnable(GL_SCISSOR_TEST);
  clear(part, static_cast<float>(height), ground_);
  glDisable(GL_SCISSOR_TEST);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

bool Window::hides() const {
  const ImVector<ImGuiWindow*>& all = ImGui::GetCurrentContext()->Windows;
  return std::any_of(all.begin(), all.end(), [](const ImGuiWindow* one) {
    return one->Active && one->HiddenFramesCannotSkipItems > 0;
  });
}

void Window::drop_frame() { ImGui::EndFrame(); }

bool Window::end_frame() {
  ImGui::Render();
  ImDrawData& data = *ImGui::GetDrawData();
  const ImU32 ground = ui::darken_behind_sheet(data);
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(handle_, &width, &height);
  const bool fonts = fonts_updated(data);
  const bool other_size = presenter_->keeps() && !presenter_->fits(width, height);
  const bool all = repaint_ || fonts || other_size || !shot_.empty() || ground != ground_;
  ground_ = ground;
  if (all) tiles_.forget();
  std::vector<ui::Rect> changed = tiles_.update(data);
  if (changed.empty()) return false;
  const bool scaled = data.FramebufferScale.x != 1.0F || data.FramebufferScale.y != 1.0F;
  if (all || scaled || !presenter_->keeps()) {
    changed = {{0, 0, static_cast<float>(width), static_cast<float>(height)}};
    ++counts_.whole;
  }
  glViewport(0, 0, width, height);
  for (const ui::Rect& part : changed) paint(data, part, height);
  if (!shot_.empty()) {
    const auto written = write_shot(shot_, shot_area(width, height), height);
    shot_error_ = written ? std::string() : written.error().message;
    shot_.clear();
  }
  repaint_ = !presenter_->show(changed, width, height);
  if (repaint_) glfwPostEmptyEvent();
  ++counts_.drawn;
  return true;
}

}  // namespace ringside::window
