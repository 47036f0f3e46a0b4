// The real window on a display of its own, controlled with a real mouse: starts Xvfb and
// ringside-dashboard, finds controls by their labels in a list that the window writes, and clicks
// them. Used by one thread; ends what it started.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/cli/cli_rig.h"
#include "tests/support/temp_folder.h"
#include "tests/support/virtual_display.h"

namespace ringside::testing {

class DashboardRig {
 public:
  /// `environment`: NAME=value, in addition to DISPLAY and XDG folders inside the rig's own folder.
  explicit DashboardRig(std::vector<std::string> environment = {});
  ~DashboardRig();
  DashboardRig(const DashboardRig&) = delete;
  DashboardRig& operator=(const DashboardRig&) = delete;

  /// Starts the window with these options and waits until it shows controls.
  void open(const std::vector<std::string>& options);
  /// Starts the window with these options and waits until it shows this control.
  void open_until(const std::vector<std::string>& options, const std::string& first);
  /// Waits for a control whose label contains `label`; fails the test if there is none.
  void wait_for(const std::string& label, double seconds = 20);
  void wait_until_gone(const std::string& label, double seconds = 20);
  bool shows(const std::string& label) const;
  /// Moves the mouse to the control and clicks.
  void click(const std::string& label);
  /// Turns the wheel far down over the control.
  void scroll_down(const std::string& label);
  /// Drags from the control by this distance.
  void drag(const std::string& label, int dx, int dy);
  /// Distance of a control's middle from the left edge of the window; -1 if it does not exist.
  int left_of(const std::string& label) const;
  /// Exit code of the window if it ends within that time, or else -1.
  int wait_end(double seconds);
  void type(const std::string& text) const;
  /// Types into a field. A field that just appeared gets the keyboard some frames later, so it is
  /// clicked first.
  void type_into(const std::string& label, const std::string& text);
  /// Presses keys until that control appears.
  void press_for(const std::string& chord, const std::string& label);
  void key(const std::string& chord) const;
  /// Presses these keys one after the other, without a pause.
  void keys(std::vector<std::string> chords) const;
  /// Runs xdotool on the display of the window.
  void xdotool(const std::vector<std::string>& arguments) const;
  /// Runs a dashboard to its end; returns its exit code, with its standard error in `errors`.
  int run_to_end(const std::vector<std::string>& options, std::string& errors,
                 bool with_display = true);
  /// Kills the window, like a crash.
  void kill_window();
  pid_t window_pid() const { return window_; }
  /// CPU time of the window so far, for all of its threads.
  double cpu_seconds() const;
  const std::string& display() const { return display_.name(); }
  /// Saves the contents of the display as NAME.png in the folder RINGSIDE_RECORD; does nothing if
  /// that is not set.
  void record(const std::string& name) const;

  CliRig cli;
  std::filesystem::path program;  ///< the window's program; that of the build unless changed

 private:
  struct Place {
    int x = 0;
    int y = 0;
  };
  std::optional<Place> place_of(const std::string& label) const;
  pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& errors,
              bool with_display) const;

  std::vector<std::string> environment_;
  std::unique_ptr<TempFolder> screen_;  ///< copy of the display's contents, if it is recorded
  VirtualDisplay display_;
  pid_t window_ = -1;
};

}  // namespace ringside::testing
