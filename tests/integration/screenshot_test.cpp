// Every screen of the real window, drawn from made-up runs, looks like its picture in
// assets/screenshots. To renew the pictures:
//   RINGSIDE_RENEW_SCREENSHOTS=1 ./dev test -R "every screen looks"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gui/ui/layout.h"
#include "gui/ui/live/live_panels.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/integration/image.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::DashboardRig;
using testing::Picture;

namespace {

constexpr const char* kBaseline = "20250610T081500Z-0983aa";
constexpr const char* kRun = "20250610T142400Z-1042bb";

bool renewing() { return std::getenv("RINGSIDE_RENEW_SCREENSHOTS") != nullptr; }

/// A machine with eight GPUs, two of them in use, whatever this machine has.
std::string inventory() {
  std::string devices;
  for (int i = 0; i < 8; ++i) {
    devices += std::string(i == 0 ? "" : ",") + R"({"index":)" + std::to_string(i) +
               R"(,"uuid":"GPU-5e1c9f0)" + std::to_string(i) +
               R"(-7a11-4c1e-9d2f-1f0b6c2d8e42","name":"RTX A6000","memory_used_bytes":)" +
               (i < 2 ? "33500000000" : "430000000") + R"(,"memory_total_bytes":51539607552,)" +
               R"("utilisation_pct":)" + (i < 2 ? "97" : "0") +
               R"(,"temperature_c":31,"power_w":22,"processes":)" +
               (i < 2 ? R"([{"pid":21811)" + std::to_string(i) + "}]" : "[]") + "}";
  }
  std::string links;
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      const bool bridge = a % 2 == 0 && b == a + 1;
      const char* word = bridge ? "NV4" : a / 4 == b / 4 ? "NODE" : "SYS";
      links += std::string(links.empty() ? "" : ",") + R"({"a":)" + std::to_string(a) + R"(,"b":)" +
               std::to_string(b) + R"(,"word":")" + word + R"("})";
    }
  }
  return R"({"devices":[)" + devices + R"(],"links":[)" + links +
         R"(],"cpu_slots":32,"cpu":{"name":"Made-up CPU"},)" +
         R"("host":{"name":"workstation","kernel":"6.1","memory_total_bytes":270000000000,)" +
         R"("memory_available_bytes":200000000000},)" +
         R"("driver":{"version":"580.65","cuda_version":"13.0"}})";
}

/// The window with programs that report that machine.
fs::path programs_of(const fs::path& folder) {
  fs::create_directories(folder);
  fs::copy_file(testing::bin_dir() / "ringside-dashboard", folder / "ringside-dashboard");
  for (const char* program : {"ringside-agent", "ringside-trainer", "ringside-data"}) {
    std::ofstream(folder / program) << "#!/bin/sh\n[ \"$1\" = --version ] && echo '" << program
                                    << " " RINGSIDE_VERSION "' && exit\ncat <<'JSON'\n"
                                    << inventory() << "\nJSON\n";
    fs::permissions(folder / program, fs::perms::owner_all);
  }
  return folder / "ringside-dashboard";
}

support::DemoOptions at(support::DemoOptions options, int hour) {
  options.wall_ns = 1'749'513'600'000'000'000 + hour * 3'600'000'000'000LL;
  return options;
}

/// Writes a run as support::make_run does, at the time of its options.
runlog::RunFolder write_run(const fs::path& runs, const std::string& id,
                            const support::DemoOptions& options, const std::string& baseline = {}) {
  auto spec = support::demo_spec(options);
  spec.baseline.run = baseline;
  auto folder = support::make_folder(runs, id, spec);
  support::LogSink sink(folder, options.wall_ns, options.start_ns);
  support::play_demo(options, sink);
  return folder;
}

void write_logs(const runlog::RunFolder& run, Rank ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    fs::create_directories(run.rank_dir(0, rank));
    std::ofstream out(run.rank_dir(0, rank) / "stdout");
    for (int line = 0; line < 12; ++line)
      out << "step " << 4500 + line * 8 << "  loss 0.2" << (67 + line * rank) % 100
          << "  grad norm 1.79  91.4 ms  1,400 samples/s  lr 0.0004\n";
  }
}

/// The runs in the pictures: a baseline, #1042 of the design drawings, and others around them.
void make_runs(const fs::path& runs) {
  support::DemoOptions baseline = at(support::demo_baseline(), 8);
  write_run(runs, kBaseline, baseline);
  for (int i = 0; i < 9; ++i) {
    support::DemoOptions small = at(support::demo_small(i == 4 ? 64 : i % 4 + 1), 9);
    small.wall_ns += i * 600'000'000'000LL;
    if (i == 2) small.killed_rank = 1;
    if (i == 6) small.nan_from = 80;
    if (i == 4) small.nodes = 8;
    const std::string number = std::to_string(i);
    const std::string id = "20250610T09" + number + "000Z-00000" + number;
    const auto run = write_run(runs, id, small, i % 2 == 0 ? kBaseline : "");
    if (i == 5) {
      std::ofstream(run.path() / "labels.toml")
          << "name = \"seed 7\"\ntags = [\"seed 7\", \"keep\"]\nnote = \"the best so far\"\n";
    }
  }
  support::DemoOptions options = at(support::demo_run(), 14);
  options.steps = 60 * 98;
  options.finish = true;
  write_logs(write_run(runs, kRun, options, kBaseline), options.ranks);
}

struct Screen {
  std::string name;
  std::vector<std::string> options;
  std::string settings;  ///< contents of window.toml
};

std::vector<Screen> screens() {
  return {{"live", {"--run", kRun}, ""},
          {"live_light", {"--run", kRun, "--theme", "light"}, ""},
          {"logs", {"--run", kRun}, "[layout]\nlive_charts = 0.47\nlive_logs = 0.42\n"},
          {"launch", {"--place", "launch", "--preset", "shapes_resnet18"}, ""},
          {"runs", {"--place", "runs"}, ""},
          {"compare", {"--compare", kRun, kBaseline}, ""},
          {"settings", {"--place", "runs", "--show", "settings"}, ""},
          {"keys", {"--place", "runs", "--show", "keys"}, ""}};
}

std::vector<std::string> environment(const fs::path& font_file) {
  std::vector<std::string> variables{
      "TZ=UTC", "RINGSIDE_ASSETS_DIR=" + (testing::source_dir() / "assets").string()};
  if (!font_file.empty()) variables.push_back("FONTCONFIG_FILE=" + font_file.string());
  return variables;
}

/// The window with its runs, ready for screenshots.
class Studio {
 public:
  explicit Studio(const fs::path& font_file = {}) : rig_(environment(font_file)) {
    make_runs(rig_.cli.runs());
    rig_.program = programs_of(rig_.cli.path() / "bin");
    // The relative folder of the runs looks the same on every machine.
    fs::current_path(rig_.cli.path());
  }
  ~Studio() { fs::current_path(before_); }
  Studio(const Studio&) = delete;
  Studio& operator=(const Studio&) = delete;

  Picture take(const Screen& screen) {
    const fs::path file = rig_.cli.path() / (screen.name + ".png");
    const fs::path state = rig_.cli.path() / "state" / "ringside";
    fs::create_directories(state);
    std::ofstream(state / "window.toml") << "scale = 1.0\n" << screen.settings;
    std::vector<std::string> options{"--runs-dir", "runs",         "--size",
                                     "1600x900",   "--screenshot", file.string()};
    options.insert(options.end(), screen.options.begin(), screen.options.end());
    std::string errors;
    const int code = rig_.run_to_end(options, errors);
    INFO(screen.name << ": " << errors);
    REQUIRE(code == 0);
    file_ = file;
    return Picture::read(file).value();
  }
  const fs::path& file() const { return file_; }

 private:
  DashboardRig rig_;
  fs::path before_ = fs::current_path();
  fs::path file_;
};

fs::path golden(const std::string& name) {
  return testing::source_dir() / "assets" / "screenshots" / (name + ".png");
}

/// A configuration with the fonts of a single family, which the window does not ask for.
fs::path other_font(const fs::path& folder) {
  const fs::path file = folder / "fonts.conf";
  std::ofstream(file) << "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">"
                         "<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>"
                      << folder.string() << "/cache</cachedir></fontconfig>\n";
  return file;
}

/// The area that a wider font moves: the legend of a step's parts takes a second line.
ui::Rect moved_by_font(const std::string& screen) {
  const ui::LiveLayout live = ui::live_layout(ui::frame_layout(1600, 900, 1), 1);
  if (screen == "live" || screen == "live_light") return live.breakdown;
  if (screen != "logs") return {};
  // The rows of the log are lower, so the panel begins further up.
  return {live.speedup.x, live.speedup.y, live.speedup.w, live.breakdown.bottom() - live.speedup.y};
}

}  // namespace

TEST_CASE("every screen looks like its picture") {
  Studio studio;
  for (const Screen& screen : screens()) {
    const Picture picture = studio.take(screen);
    if (renewing()) {
      fs::create_directories(golden("x").parent_path());
      fs::copy_file(studio.file(), golden(screen.name), fs::copy_options::overwrite_existing);
      continue;
    }
    const auto known = Picture::read(golden(screen.name));
    INFO(screen.name << "; RINGSIDE_RENEW_SCREENSHOTS=1 renews the pictures");
    REQUIRE(known);
    CHECK(difference(picture, *known) < testing::kMostDifference);
  }
}

TEST_CASE("another font does not count as another screen") {
  if (renewing()) return;
  const TempFolder folder;
  Studio studio(other_font(folder.path()));
  double most = 0;
  for (const Screen& screen : screens()) {
    const auto known = Picture::read(golden(screen.name));
    REQUIRE(known);
    INFO(screen.name);
    const ui::Rect moved = moved_by_font(screen.name);
    const double share = difference(studio.take(screen).without(moved), known->without(moved));
    // This shows that the font was really different.
    CHECK(read_text(studio.file()).value() != read_text(golden(screen.name)).value());
    if (share > most) most = share;
    CHECK(share < testing::kMostDifference);
  }
  WARN("another font: up to " << most * 100 << " % of a picture");
}

TEST_CASE("a missing panel is detected, even the smallest one") {
  if (renewing()) return;
  const ui::FrameLayout frame = ui::frame_layout(1600, 900, 1);
  double least = 1;
  const auto check = [&least](const std::string& screen,
                              const std::map<std::string, ui::Rect>& panels) {
    const auto known = Picture::read(golden(screen));
    REQUIRE(known);
    CHECK(difference(*known, *known) == 0);
    for (const auto& [name, area] : panels) {
      INFO(screen << " without " << name);
      const double share = difference(*known, known->without(area));
      least = std::min(least, share);
      CHECK(share > testing::kMostDifference);
    }
  };
  const ui::LiveLayout live = ui::live_layout(frame, 1);
  for (const char* screen : {"live", "live_light"}) {
    check(screen, {{"events", live.events},
                   {"loss", live.loss},
                   {"accuracy", live.accuracy},
                   {"step time", live.step_time},
                   {"speedup", live.speedup},
                   {"breakdown", live.breakdown},
                   {"ranks", live.ranks},
                   {"logs", live.logs},
                   {"top bar", frame.top_bar}});
  }
  const ui::LaunchLayout launch = ui::launch_layout(frame, 1);
  check("launch", {{"devices", launch.devices},
                   {"form", launch.form},
                   {"plan", launch.plan},
                   {"preflight", launch.preflight},
                   {"command", launch.command},
                   {"launch", launch.launch}});
  const ui::RunsLayout runs = ui::runs_layout(frame, 1, ui::RunsSide::kDetails);
  check("runs", {{"table", runs.table}, {"details", runs.side}, {"filter", runs.filter}});
  check("compare", {{"comparison", runs.side}});
  WARN("the smallest panel that is missing: " << least * 100 << " % of the picture");
}

TEST_CASE("a screenshot differs from one of another page") {
  if (renewing()) return;
  const auto all = screens();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      INFO(all[i].name << " and " << all[k].name);
      CHECK(difference(Picture::read(golden(all[i].name)).value(),
                       Picture::read(golden(all[k].name)).value()) > testing::kMostDifference);
    }
  }
}
