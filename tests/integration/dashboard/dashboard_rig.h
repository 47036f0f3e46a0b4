// The real window on a display of its own, driven with a real mouse: starts Xvfb and
// ringside-dashboard, finds controls by label in the list that the window keeps, and presses them.
// Used by one thread; ends what it started.
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
  /// `environment`: NAME=value, beside DISPLAY and XDG folders inside the rig's own folder.
  explicit DashboardRig(std::vector<std::string> environment = {});
  ~DashboardRig();
  DashboardRig(const DashboardRig&) = delete;
  DashboardRig& operator=(const DashboardRig&) = delete;

  /// Starts the window with these options and waits until it shows controls.
  void open(const std::vector<std::string>& options);
  /// Starts the window with these options and waits until it shows this control.
  void open_until(const std::vector<std::string>& options, const std::string& first);
  /// Waits for a control whose label contains `label`; fails the test when none comes.
  void wait_for(const std::string& label, double seconds = 20);
  void wait_until_gone(const std::string& label, double seconds = 20);
  bool shows(const std::string& label) const;
  /// Moves the mouse there and presses.
  void click(const std::string& label);
  /// Turns the wheel down, far, over the control.
  void scroll_down(const std::string& label);
  /// Presses there, pulls so far, and lets go.
  void drag(const std::string& label, int dx, int dy);
  /// The middle of a control from the left edge of the window, -1 where there is none.
  int left_of(const std::string& label) const;
  /// Exit code of the window when it ends within that time, else -1.
  int wait_end(double seconds);
  void type(const std::string& text) const;
  /// A field that just came up has the keyboard only some frames later; one that was clicked has it
  /// before the first key.
  void type_into(const std::string& label, const std::string& text);
  /// Presses keys and waits until that control is there.
  void press_for(const std::string& chord, const std::string& label);
  void key(const std::string& chord) const;
  /// Presses these keys one after the other, without a pause.
  void keys(std::vector<std::string> chords) const;
  /// Whatever xdotool can do, on the display of the window.
  void xdotool(const std::vector<std::string>& arguments) const;
  /// Exit code of a dashboard that runs to its end, with its standard error in `errors`.
  int run_to_end(const std::vector<std::string>& options, std::string& errors,
                 bool with_display = true);
  /// Ends the window as a crash would.
  void kill_window();
  pid_t window_pid() const { return window_; }
  /// Processor time of the window so far, all its threads.
  double cpu_seconds() const;
  const std::string& display() const { return display_.name(); }
  /// What the display shows now, as NAME.png in the folder that RINGSIDE_RECORD names; without it
  /// nothing.
  void record(const std::string& name) const;

  CliRig cli;
  std::filesystem::path program;  ///< the window; that of the build unless changed

 private:
  struct Place {
    int x = 0;
    int y = 0;
  };
  std::optional<Place> place_of(const std::string& label) const;
  pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& errors,
              bool with_display) const;

  std::vector<std::string> environment_;
  std::unique_ptr<TempFolder> screen_;  ///< what is on the display, where it is recorded
  VirtualDisplay display_;
  pid_t window_ = -1;
};

}  // namespace ringside::testing
