// The command line and environment of `ringside-dashboard`. Pure but for
// reading the latter.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::window {

struct DashboardOptions {
  std::string preset = "demo";
  std::filesystem::path runs_dir;  ///< empty: the default folder
  std::string run;                 ///< opened at the start: id, unique prefix, "last" or a path
  std::string on;    ///< another machine and a run there: ssh://HOST[/RUN]; empty: this one
  std::string page;  ///< lower-case name; empty: live with --run, else the last one
  std::vector<std::string> compare;  ///< runs that are marked at the start
  std::string show;                  ///< settings, keys or commands: open at the start
  std::string theme;                 ///< dark or light; empty: as last time
  double scale = 0.0;                ///< 0: as last time, else what the screen asks for
  int width = 0;                     ///< 0: as last time, else 1600 x 900 at scale 1
  int height = 0;
  double replay = 0.0;              ///< with --run: replay at this speed
  std::filesystem::path shot;       ///< write a PNG there when `shot_when` holds, then close
  std::string shot_when = "ready";  ///< ready, training, finished
  std::filesystem::path items;      ///< for tests: area of every control, by label
  std::filesystem::path frames;     ///< for tests: time and steps of each frame
};

/// Text to print and leave with exit code 0 (--help, --version).
struct PrintAndLeave {
  std::string text;
};

Result<std::variant<DashboardOptions, PrintAndLeave>> parse_options(int argc,
                                                                    const char* const* argv);

}  // namespace ringside::window
