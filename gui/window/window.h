// The one window: GLFW, an OpenGL 3.3 core context and Dear ImGui on it. It waits for input or for
// wake(), and draws and shows only the parts of a frame that differ from what is on the screen.
// Main thread, except wake().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/ui/rect.h"
#include "gui/window/changed_tiles.h"
#include "gui/window/presenter.h"
#include "protocol/base/result.h"

struct GLFWwindow;

namespace ringside::window {

struct WindowOptions {
  int width = 0;  ///< of the window in pixels; 0: default, scaled with the screen
  int height = 0;
  std::string title = "Ringside";
  double user_scale = 0.0;  ///< 0: the screen's
  bool light = false;
  bool mouse =
      true;  ///< false: ignores the mouse, so that a screenshot does not depend on its position
};

struct FrameCounts {
  std::uint64_t built = 0;
  std::uint64_t drawn = 0;  ///< frames of which something was shown because it differed
  std::uint64_t whole = 0;  ///< drawn frames that were drawn completely
};

class Window {
 public:
  /// Opens a window. Without a display or OpenGL 3.3 the error names a way that needs neither.
  static Result<std::unique_ptr<Window>> open(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Sleeps until input, wake() or the deadline. True if there was input or the window needs to be
  /// drawn.
  bool wait(double seconds);
  bool closing() const;
  void close();
  void size(int& width, int& height) const;
  bool visible() const;

  void begin_frame();
  /// Whether something opens that is first visible in the next frame.
  bool hides() const;
  /// Ends a frame without showing it.
  void drop_frame();
  /// Ends the frame; draws and shows what differs. True if the screen has changed.
  bool end_frame();
  /// Forces the next frame to be drawn.
  void repaint() { repaint_ = true; }
  /// Writes the next drawn frame, or a part of it, as a PNG; an error text is kept for
  /// shot_error().
  void request_shot(const std::filesystem::path& file, const ui::Rect& part = {}) {
    shot_ = file;
    shot_part_ = part;
  }
  bool shot_pending() const { return !shot_.empty(); }
  const std::string& shot_error() const { return shot_error_; }

  /// Paths of files and folders that were dropped on the window since the last call.
  std::vector<std::string> take_dropped();
  void set_title(const std::string& title);
  /// Sets the theme and scale from the next frame on.
  void set_theme(bool light, double user_scale);
  double user_scale() const { return user_scale_; }
  /// The scale that this screen asks for.
  double screen_scale() const;
  /// Resizes the window; 0: default size.
  void resize(int width, int height);
  const FrameCounts& counts() const { return counts_; }
  const std::vector<std::string>& font_notes() const { return font_notes_; }

  /// Ends the wait now, from any thread.
  static void wake();

 private:
  explicit Window(GLFWwindow* handle) : handle_(handle) {}
  void start_imgui(const WindowOptions& options);
  bool input_waiting() const;
  ui::Rect shot_area(int width, int height) const;
  /// Draws a part of the window, in pixels from the top left.
  void paint(ImDrawData& data, const ui::Rect& part, int height) const;

  GLFWwindow* handle_;
  FrameCounts counts_;
  std::optional<Presenter> presenter_;
  ChangedTiles tiles_;
  bool repaint_ = true;
  double user_scale_ = 1.0;
  float shown_scale_ = 0;  ///< the scale, reduced to fit the size of the window
  bool light_ = false;
  bool mouse_ = true;
  bool look_changed_ = true;
  unsigned ground_ = 0;  ///< colour of the window where nothing is drawn
  std::filesystem::path shot_;
  ui::Rect shot_part_;  ///< empty: the whole window
  std::string shot_error_;
  std::string title_;
  std::vector<std::string> dropped_;
  std::vector<std::string> font_notes_;
};

}  // namespace ringside::window
