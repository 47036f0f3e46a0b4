#include "tests/integration/dashboard/dashboard_rig.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "gui/view/choices.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/screen_picture.h"
#include "trainer/probe/proc_files.h"

namespace ringside::testing {
namespace {

constexpr double kComeUpSeconds = 30;
constexpr const char* kRecord = "RINGSIDE_RECORD";

std::vector<char*> pointers_of(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void end(pid_t& pid) {
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  pid = -1;
}

/// Variables that would make the window use another display or another person's files.
bool is_ours(const std::string& variable) {
  for (const char* name : {"DISPLAY=", "WAYLAND_DISPLAY=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=",
                           "XDG_CONFIG_HOME=", "RINGSIDE_", "TZ=", "FONTCONFIG_FILE="}) {
    if (variable.starts_with(name)) return true;
  }
  return false;
}

}  // namespace

// The display's processes must not mention the rig's folder, since tests search for leftover
// processes by it.
DashboardRig::DashboardRig(std::vector<std::string> environment)
    : program(bin_dir() / "ringside-dashboard"),
      environment_(std::move(environment)),
      screen_(std::getenv(kRecord) != nullptr ? std::make_unique<TempFolder>() : nullptr),
      display_(is_ours, screen_ ? screen_->path() : std::filesystem::path()) {
  environment_.push_back("XDG_STATE_HOME=" + (cli.path() / "state").string());
  environment_.push_back("XDG_CONFIG_HOME=" + (cli.path() / "config").string());
  environment_.push_back("XDG_CACHE_HOME=" + (cli.path() / "cache").string());
  environment_.push_back("RINGSIDE_ITEMS=" + (cli.path() / "items.txt").string());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_ours(*variable)) environment_.emplace_back(*variable);
  }
  INFO("Xvfb is needed for this test");
  REQUIRE(!display().empty());
}

DashboardRig::~DashboardRig() { end(window_); }

pid_t DashboardRig::start(const std::vector<std::string>& arguments,
                          const std::filesystem::path& errors, bool with_display) const {
  std::vector<std::string> words = arguments;
  std::vector<std::string> variables = environment_;
  if (with_display) variables.push_back("DISPLAY=" + display());
  const auto argv = pointers_of(words);
  const auto envp = pointers_of(variables);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  pid_t pid = -1;
  REQUIRE(::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), envp.data()) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

void DashboardRig::open(const std::vector<std::string>& options) {
  open_until(options, view::name_of(view::Page::kRuns));
}

void DashboardRig::open_until(const std::vector<std::string>& options, const std::string& first) {
  std::error_code ignored;
  std::filesystem::remove(cli.path() / "items.txt", ignored);
  std::vector<std::string> arguments{program.string(), "--runs-dir", cli.runs().string()};
  const bool sized = std::find(options.begin(), options.end(), "--size") != options.end();
  if (!sized && program.filename() == "ringside-dashboard")
    arguments.insert(arguments.end(), {"--size", "1600x900"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  window_ = start(arguments, cli.path() / "window.err", true);
  wait_for(first, kComeUpSeconds);
  // Keys go to the focused window, and a busy display gives the focus some time after the window is
  // shown.
  xdotool({"search", "--sync", "--onlyvisible", "--class", "ringside", "windowfocus", "--sync"});
}

std::optional<DashboardRig::Place> DashboardRig::place_of(const std::string& label) const {
  std::ifstream file(cli.path() / "items.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    words >> x >> y >> width >> height;
    std::string name;
    std::getline(words, name);
    if (name.find(label) != std::string::npos) return Place{x + width / 2, y + height / 2};
  }
  return std::nullopt;
}

bool DashboardRig::shows(const std::string& label) const { return place_of(label).has_value(); }

void DashboardRig::wait_for(const std::string& label, double seconds) {
  const bool came = wait_until(seconds, [&] { return shows(label); });
  INFO("waiting for the control '"
       << label << "'; the window said: " << read_text(cli.path() / "window.err").value_or(""));
  REQUIRE(came);
}

void DashboardRig::wait_until_gone(const std::string& label, double seconds) {
  INFO("waiting until the control '" << label << "' is gone");
  REQUIRE(wait_until(seconds, [&] { return !shows(label); }));
}

void DashboardRig::xdotool(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"xdotool"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t pid = start(words, "/dev/null", true);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(status == 0);
}

void DashboardRig::click(const std::string& label) {
  wait_for(label);
  // A control on top of another one gets the mouse one frame later, so the mouse rests before the
  // click; and it follows controls that move meanwhile, such as a box that is still being laid out.
  for (int tries = 0; tries < 5; ++tries) {
    const Place place = *place_of(label);
    xdotool({"mousemove", std::to_string(place.x), std::to_string(place.y), "sleep", "0.15"});
    const auto now = place_of(label);
    if (now && now->x == place.x && now->y == place.y) break;
    wait_for(label);
  }
  xdotool({"click", "1"});
}

void DashboardRig::scroll_down(const std::string& label) {
  wait_for(label);
  const Place place = *place_of(label);
  xdotool({"mousemove", std::to_string(place.x), std::to_string(place.y), "sleep", "0.15"});
  xdotool({"click", "--repeat", "10", "--delay", "20", "5"});
}

void DashboardRig::press_for(const std::string& chord, const std::string& label) {
  key(chord);
  wait_for(label);
}

void DashboardRig::type(const std::string& text) const { xdotool({"type", text}); }
void DashboardRig::type_into(const std::string& label, const std::string& text) {
  click(label);
  type(text);
}
void DashboardRig::key(const std::string& chord) const { xdotool({"key", chord}); }
void DashboardRig::keys(std::vector<std::string> chords) const {
  chords.insert(chords.begin(), {"key", "--delay", "12"});
  xdotool(chords);
}

int DashboardRig::run_to_end(const std::vector<std::string>& options, std::string& errors,
                             bool with_display) {
  std::vector<std::string> arguments{program.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  pid_t pid = start(arguments, cli.path() / "end.err", with_display);
  int status = 0;
  const bool ended = wait_until(60, [&] { return ::waitpid(pid, &status, WNOHANG) == pid; });
  if (!ended) end(pid);
  REQUIRE(ended);
  errors = read_text(cli.path() / "end.err").value_or("");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void DashboardRig::drag(const std::string& label, int dx, int dy) {
  wait_for(label);
  const Place place = *place_of(label);
  xdotool({"mousemove", std::to_string(place.x), std::to_string(place.y), "sleep", "0.15",
           "mousedown", "1", "sleep", "0.1", "mousemove", std::to_string(place.x + dx / 2),
           std::to_string(place.y + dy / 2), "sleep", "0.1", "mousemove",
           std::to_string(place.x + dx), std::to_string(place.y + dy)});
  // A busy window lags behind, and movements that it has not processed when the button is released
  // are lost.
  const bool followed = wait_until(20, [&] {
    const auto now = place_of(label);
    return now && std::abs(now->x - place.x - dx) <= 2 && std::abs(now->y - place.y - dy) <= 2;
  });
  xdotool({"mouseup", "1"});
  CHECK(followed);
}

int DashboardRig::left_of(const std::string& label) const {
  const auto place = place_of(label);
  return place ? place->x : -1;
}

void DashboardRig::record(const std::string& name) const {
  if (!screen_) return;
  const std::filesystem::path to = std::getenv(kRecord);
  std::filesystem::create_directories(to);
  const auto written =
      write_picture(screen_->path() / VirtualDisplay::kScreenFile, to / (name + ".png"));
  INFO((written ? std::string() : written.error().message));
  CHECK(written);
}

int DashboardRig::wait_end(double seconds) {
  int status = 0;
  const bool ended =
      wait_until(seconds, [&] { return ::waitpid(window_, &status, WNOHANG) == window_; });
  if (!ended) return -1;
  window_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void DashboardRig::kill_window() { end(window_); }

double DashboardRig::cpu_seconds() const {
  const auto stat = probe::process_stat("/", window_);
  REQUIRE(stat);
  return static_cast<double>(stat->cpu_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace ringside::testing
