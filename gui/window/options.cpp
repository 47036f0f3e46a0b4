#include "gui/window/options.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace ringside::window {
namespace {

std::string check_size(const std::string& text) {
  int width = 0;
  int height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 300 ||
      height < 200 || width > 16384 || height > 16384) {
    return "a size is WIDTHxHEIGHT in pixels such as 1600x900, at least 300x200, not \"" + text +
           "\"";
  }
  return {};
}

void declare(CLI::App& app, DashboardOptions& options, std::string& size) {
  app.add_option("RUN", options.run, "Open this run: id, unique prefix, 'last' or a path")
      ->type_name("");
  app.add_option("--preset", options.preset,
                 "Preset or TOML file in the launch form (default: demo)");
  app.add_option("--runs-dir", options.runs_dir,
                 "Folder of the runs (default: RINGSIDE_RUNS_DIR, else the user's data folder)");
  app.add_option("--run", options.run, "As RUN");
  app.add_option("--on", options.on,
                 "The runs of another machine, over ssh: ssh://[USER@]HOST[:PORT][/RUN]");
  app.add_option("--replay", options.replay, "With --run: replay it at this multiple of its speed")
      ->check(CLI::Range(0.1, 1000.0));
  app.add_option("--place", options.page, "Start at this page")
      ->check(
          CLI::IsMember({"launch", "live", "scaling", "sampler", "runs", "timeline", "machines"}));
  app.add_option("--compare", options.compare,
                 "Start at Runs with these runs compared: --compare 3 5, eight at most")
      ->expected(1, 8);
  app.add_option("--show", options.show, "Open this sheet at the start")
      ->check(CLI::IsMember({"settings", "keys", "commands", "doctor", "waterfall", "published"}));
  app.add_option("--theme", options.theme, "Colours")->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--scale", options.scale, "Size of text and everything else, 0.75 to 3")
      ->check(CLI::Range(0.75, 3.0));
  app.add_option("--size", size, "Size of the window, such as 1600x900")->check(check_size);
  app.add_option("--screenshot", options.shot,
                 "Write a PNG of the window at the time of --when, then close");
  app.add_option("--when", options.shot_when, "When to take it: ready, training or finished")
      ->check(CLI::IsMember({"ready", "training", "finished"}));
  app.add_option("--items", options.items,
                 "Test aid: keep a list of all controls and their positions in this file")
      ->envname("RINGSIDE_ITEMS");
  app.add_option(
      "--frames", options.frames,
      "Test aid: append to this file, after each frame, the monotonic time in ns and the "
      "newest step of each rank as rank:step");
}

}  // namespace

Result<std::variant<DashboardOptions, PrintAndLeave>> parse_options(int argc,
                                                                    const char* const* argv) {
  CLI::App app(
      "Ringside: starts data-parallel training and shows, live and per rank, what it does.",
      "ringside-dashboard");
  app.set_version_flag("--version", "ringside-dashboard " RINGSIDE_VERSION);
  app.footer("Closing the window never ends a run. Without a display use 'ringside run demo'.");
  DashboardOptions options;
  std::string size;
  declare(app, options, size);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintAndLeave{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return PrintAndLeave{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return bad_request(std::string(error.what()) +
                       " ('ringside-dashboard --help' lists the options)");
  }
  if (!size.empty()) std::sscanf(size.c_str(), "%dx%d", &options.width, &options.height);
  return options;
}

}  // namespace ringside::window
