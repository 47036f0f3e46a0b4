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
  int width = 0;  ///< of the window in pixels; 0: as usual, which grows with the screen's scale
  int height = 0;
  std::string title = "Ringside";
  double user_scale = 0.0;  ///< 0: what the screen asks for
  bool light = false;
  bool mouse =
      true;  ///< false: the mouse is not seen, so that a screenshot is the same wherever it is
};

struct FrameCounts {
  std::uint64_t built = 0;
  std::uint64_t drawn = 0;  ///< of them, put on the screen because something differed
  std::uint64_t whole = 0;  ///< of these, drawn in whole
};

class Window {
 public:
  /// Opens a window. Without a display or OpenGL 3.3 the error names the way that needs neither.
  static Result<std::unique_ptr<Window>> open(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Sleeps until input, wake() or the deadline. True when there was input or the window needs to
  /// be drawn.
  bool wait(double seconds);
  bool closing() const;
  void close();
  void size(int& width, int& height) const;
  bool visible() const;

  void begin_frame();
  /// Whether something opens that the next frame is the first to show.
  bool hides() const;
  /// Ends a frame of which nothing is to be seen.
  void drop_frame();
  /// Ends the frame; draws and shows what differs. True when the screen changed.
  bool end_frame();
  /// The next frame is drawn whether it differs or not.
  void repaint() { repaint_ = true; }
  /// Writes the next drawn frame, or a part of it, as a PNG; error text is kept for shot_error().
  void request_shot(const std::filesystem::path& file, const ui::Rect& part = {}) {
    shot_ = file;
    shot_part_ = part;
  }
  bool shot_pending() const { return !shot_.empty(); }
  const std::string& shot_error() const { return shot_error_; }

  /// Paths of files and folders that were dropped on the window since the last call.
  std::vector<std::string> take_dropped();
  void set_title(const std::string& title);
  /// Takes effect with the next frame.
  void set_theme(bool light, double user_scale);
  double user_scale() const { return user_scale_; }
  /// What this screen asks for.
  double screen_scale() const;
  /// 0: as usual.
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
  /// Draws what lies in a part of the window, in pixels from the top left.
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
