// Settings that the window keeps between starts: theme, scale, size, the layout of its panels and
// the last page. Stored as a small TOML file in the state folder. Reads and writes one file; main
// thread.
#pragma once

#include <filesystem>
#include <string>

#include "gui/ui/arrangement.h"
#include "gui/view/chart/chart.h"
#include "gui/view/runs/runs_view.h"
#include "protocol/base/result.h"

namespace ringside::window {

struct WindowSettings {
  bool light = false;
  double scale = 0;  ///< 0: the screen's default
  int width = 0;     ///< pixels; 0: the default
  int height = 0;
  std::string page;  ///< launch, live, runs; empty: none yet
  ui::Arrangement arrangement;
  std::vector<std::string> pinned;                 ///< pinned metrics, for all runs
  view::ChartChoice charts = view::first_style();  ///< axis, scale, smoothing, plan, baseline
  view::RunsChoice list;  ///< columns, order, groups, Compare; no filter, no run, no stretch
  bool operator==(const WindowSettings&) const = default;
};

inline constexpr int kLeastWidth = 300;
inline constexpr int kLeastHeight = 200;

/// $XDG_STATE_HOME/ringside/window.toml, else ~/.local/state/ringside/window.toml; empty if there
/// is no home folder, and nothing is kept then.
std::filesystem::path settings_path();
/// The defaults if there is no file or a value is out of range.
WindowSettings read_settings(const std::filesystem::path& path);
Result<void> write_settings(const std::filesystem::path& path, const WindowSettings& settings);

}  // namespace ringside::window
