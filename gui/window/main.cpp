// ringside-dashboard: the window. Waits for input or data, builds a frame, and swaps it in only if
// it differs from the one on the screen.
#include <imgui.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/remote/address.h"
#include "gui/session/window/session.h"
#include "gui/ui/item_watch.h"
#include "gui/ui/window/screen.h"
#include "gui/view/carry_out.h"
#include "gui/window/frame_pace.h"
#include "gui/window/options.h"
#include "gui/window/window.h"
#include "gui/window/window_settings.h"
#include "protocol/base/clock.h"
#include "protocol/base/exit_code.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/host/process_setup.h"
#include "protocol/host/processor_time.h"
#include "protocol/runlog/run_folder.h"

namespace {

using namespace ringside;
using window::DashboardOptions;

constexpr double kLongestWaitS = 3600;
constexpr double kMenuFadesS = 0.4;
// CPU load of a host above which the window slows down, to leave the processors to the ranks.
constexpr float kFullPct = 75;

int complain(const Error& error) {
  std::fprintf(stderr, "ringside-dashboard: %s\n", error.message.c_str());
  return exit_code(error);
}

/// Whether the run is training on the processors of the host that the window runs on.
bool computes_here(const view::LiveInput& live) {
  return live.model != nullptr && live.context.contact == view::Contact::kLive &&
         !view::on_gpus(*live.model);
}

bool processors_full(const model::RunModel& model) {
  const auto& hosts = model.hosts();
  return std::any_of(hosts.begin(), hosts.end(),
                     [](const auto& host) { return host.second.latest.cpu_pct > kFullPct; });
}

/// Whether a person caused one of the commands. MoveCursor does not count: new data moves a chart
/// under a mouse that rests.
bool by_hand(const view::CommandQueue& commands) {
  return std::any_of(commands.begin(), commands.end(),
                     [](const auto& command) { return !view::as<view::MoveCursor>(command); });
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

double seconds_now() { return seconds(mono_now_ns()); }

window::WindowSettings settings_for(const DashboardOptions& options) {
  window::WindowSettings settings = window::read_settings(window::settings_path());
  if (!options.theme.empty()) settings.light = options.theme == "light";
  if (options.scale > 0) settings.scale = options.scale;
  if (options.width > 0) {
    settings.width = options.width;
    settings.height = options.height;
  }
  return settings;
}

/// Changes the options to those of another machine. The run to open, if one was named, is copied
/// from there first.
Result<void> go_elsewhere(const DashboardOptions& options, session::Session::Options& session) {
  const auto target = RINGSIDE_TRY(remote::parse_target(options.on));
  auto machine =
      RINGSIDE_TRY(session::other_machine(remote::text_of(target.address), options.runs_dir));
  if (!target.run.empty()) {
    auto folder = RINGSIDE_TRY(session::copy_of(machine, target.run));
    session.run = folder.id();
  }
  session.runs_dir = machine.folder;
  session.machine = std::move(machine);
  return {};
}

Result<session::Session::Options> session_options(const DashboardOptions& options,
                                                  const window::WindowSettings& settings) {
  session::Session::Options session;
  auto runs_dir = RINGSIDE_TRY(runlog::choose_runs_dir(options.runs_dir));
  session.runs_dir = std::move(runs_dir);
  session.preset = options.preset;
  session.run = options.run;
  session.replay_speed = options.replay;
  session.page = options.page;
  session.compare = options.compare;
  session.list = settings.list;
  session.charts = settings.charts;
  session.show = options.show;
  // Opens the page on which the window was closed. Live needs a run, and the session looks for one.
  if (session.page.empty() && session.run.empty() &&
      (settings.page == "runs" || settings.page == "scaling" || settings.page == "machines"))
    session.page = settings.page;
  session.live = session.page.empty() && settings.page == "live";
  if (options.on.empty()) return session;
  RINGSIDE_TRY(go_elsewhere(options, session));
  if (session.page.empty() && session.run.empty()) session.page = "runs";
  return session;
}

/// The loop of the window and what it keeps between frames.
class Dashboard {
 public:
  Dashboard(const DashboardOptions& options, window::WindowSettings settings,
            window::Window& window, session::Session& session)
      : options_(options), settings_(std::move(settings)), window_(window), session_(session) {
    memory_.arrangement = settings_.arrangement;
    memory_.live.metrics.choice.pinned = settings_.pinned;
    written_ = settings_;
  }

  int run() {
    if (!options_.items.empty()) ui::watch_items();
    if (!options_.frames.empty()) frames_.open(options_.frames, std::ios::app);
    std::string notes;
    for (const std::string& note : window_.font_notes()) notes += (notes.empty() ? "" : " ") + note;
    // A screenshot shows the screen, not messages about the machine it was taken on.
    if (!notes.empty() && options_.shot.empty())
      session_.line().notify(view::Tone::kWarning, notes);
    if (!notes.empty() && !options_.shot.empty()) std::fprintf(stderr, "%s\n", notes.c_str());
    settle();
    while (!window_.closing() && !next_machine_) {
      const bool input = window_.wait(wait_s());
      const double now = seconds_now();
      if (input) settle();
      const bool data = pace_.takes_data(now);
      if (session_.update(data) || !data) pace_.owe();
      if (!window_.visible() || !(input || now >= pace_.due_s(now))) continue;
      build(now, data);
      take_shot();
      keep_settings();
    }
    return shot_failed_ ? 1 : 0;
  }

  /// The machine whose runs are to be shown instead; nothing: the window was closed.
  const std::optional<view::SelectMachine>& next_machine() const { return next_machine_; }

  /// Writes what a person changed about the window: when it closes, and also as soon as nothing
  /// moves, so that it is saved if the window is killed. Does nothing while screenshots are taken.
  void keep_settings(bool ending = false) {
    if (!options_.shot.empty() || (ImGui::IsAnyMouseDown() && !ending)) return;
    settings_.arrangement = memory_.arrangement;
    settings_.pinned = memory_.live.metrics.choice.pinned;
    settings_.page = lower_case(view::name_of(session_.page()));
    settings_.list = session_.list_choice();
    settings_.charts = session_.chart_choice();
    window_.size(settings_.width, settings_.height);
    if (settings_ == written_) return;
    // While the window is being resized it changes with every event.
    const bool moving = settings_ != settling_;
    settling_ = settings_;
    if (moving && !ending) return settle();
    written_ = settings_;
    if (const auto written = window::write_settings(window::settings_path(), settings_); !written)
      complain(written.error());
  }

 private:
  void settle() { pace_.settle(seconds_now()); }

  double wait_s() const {
    const double now = seconds_now();
    double wait = std::min(session_.next_update_s(pace_.takes_data(now)), kLongestWaitS);
    // Frames that are due wait until the window is seen again.
    if (window_.visible()) wait = std::min(wait, pace_.due_s(now) - now);
    return std::max(wait, 0.0);
  }

  void build(double now, bool with_data) {
    const std::int64_t cpu_before_ns = process_cpu_ns();
    pace_.begin(now, with_data);
    // A frame in which a person did something is built again before it is painted, so that it shows
    // the result: without a GPU painting costs ten times as much as building. A sheet that opens is
    // built again too, since Dear ImGui hides it in its first frame.
    for (int left = 2; (draw_and_do() || window_.hides()) && left > 0; --left) window_.drop_frame();
    session_.line().hold(ui::message_hovered());
    save_chart();
    const view::ScreenInput input = session_.input();
    const bool full = computes_here(input.live) && processors_full(*input.live.model);
    if (with_data || !full)
      pace_.keep_apart(window::data_frame_s(seconds(process_cpu_ns() - cpu_before_ns), full));
    if (frames_.is_open()) note_frame(input.live.model);
    if (!options_.items.empty()) write_items();
  }

  /// Builds a frame and carries out its commands. Returns whether a person caused one of them.
  bool draw_and_do() {
    ui::clear_items();
    window_.begin_frame();
    view::CommandQueue commands;
    ui::draw_screen(session_.input(), memory_, commands);
    for (const view::WindowCommand& command : session_.execute(commands)) apply(command);
    // A run folder that was dropped onto the window is opened without being copied.
    const std::vector<std::string> dropped = window_.take_dropped();
    session_.open_dropped(dropped);
    if (!commands.empty()) pace_.owe();
    const bool by = by_hand(commands) || !dropped.empty();
    if (by) settle();
    return by;
  }

  /// One line per control, `x y width height label`, whole pixels; only when it changed.
  void write_items() {
    std::string lines;
    for (const ui::Item& item : ui::items()) {
      lines += fmt::format("{:.0f} {:.0f} {:.0f} {:.0f} {}\n", item.area.x, item.area.y,
                           item.area.w, item.area.h, item.label);
    }
    if (lines == items_written_) return;
    if (const auto written = write_text_atomically(options_.items, lines); !written)
      complain(written.error());
    items_written_ = lines;
  }

  /// Logs the newest step of each rank in the frame that has just been swapped in.
  void note_frame(const model::RunModel* run) {
    if (run == nullptr) return;
    frames_ << mono_now_ns();
    for (const Rank rank : run->ranks())
      frames_ << ' ' << rank << ':' << run->rank(rank)->newest_step;
    frames_ << std::endl;  // whole lines, even when the window is ended from outside
  }

  void apply(const view::WindowCommand& command) {
    ui::Arrangement& arrangement = memory_.arrangement;
    view::carry_out(
        command,
        [this](const view::SetLight& theme) {
          settings_.light = theme.on;
          window_.set_theme(settings_.light, window_.user_scale());
        },
        [this](const view::SetTextSize& size) {
          window_.set_theme(settings_.light, size.percent / 100);
          settings_.scale = window_.user_scale();
        },
        [](const view::CopyText& copy) { ImGui::SetClipboardText(copy.text.c_str()); },
        [this](const view::TakePicture& picture) {
          picture_ = picture;
          picture_at_ = seconds_now() + kMenuFadesS;
        },
        [&](const view::ToggleDock& dock) {
          bool& closed = arrangement.closed[static_cast<std::size_t>(dock.dock)];
          closed = !closed;
        },
        [this](const view::ShowTable& table) { memory_.live.table_tab = table.tab; },
        [&](const view::ToggleColumn& column) { arrangement.rank_columns.toggle(column.key); },
        [&](const view::ResetLayout&) { arrangement = {}; },
        [&](const view::ResetWindow&) {
          settings_ = {};
          arrangement = {};
          memory_.live.metrics.choice = {};
          window_.set_theme(settings_.light, window_.screen_scale());
          window_.resize(settings_.width, settings_.height);
        },
        [this](const view::SelectMachine& machine) { next_machine_ = machine; },
        [this](const view::Quit&) { window_.close(); });
  }

  /// Saves a chart a moment after it was asked for, when the menu has faded out.
  void save_chart() {
    bool due = picture_ && seconds_now() >= picture_at_;
    if (due) {
      const auto area = memory_.live.chart_areas.find(picture_->chart);
      const bool known = area != memory_.live.chart_areas.end();
      if (!known) {
        session_.line().notify(view::Tone::kWarning,
                               "No image was saved: the chart is not fully visible. Bring all "
                               "of it into view, or save it as SVG, which needs no screen.");
        picture_.reset();
        due = false;
        pace_.owe();
      } else {
        window_.request_shot(picture_->path, area->second);
      }
    }
    window_.end_frame();
    if (!due) return;
    const bool failed = !window_.shot_error().empty();
    session_.line().notify(failed ? view::Tone::kError : view::Tone::kOk,
                           failed ? window_.shot_error() : "Saved " + picture_->path);
    picture_.reset();
    pace_.owe();
  }

  /// Takes one screenshot when the awaited moment has come and its frame is on the screen, then
  /// closes the window.
  void take_shot() {
    if (options_.shot.empty()) return;
    if (shot_asked_) {
      shot_failed_ = !window_.shot_error().empty();
      if (shot_failed_) complain({ErrorKind::kFailure, window_.shot_error()});
      window_.close();
      return;
    }
    if (!session_.reached(options_.shot_when)) return;
    pace_.owe();
    // Two frames settle what depends on sizes measured in the one before.
    if (++settled_ < 3) return;
    window_.request_shot(options_.shot);
    shot_asked_ = true;
  }

  const DashboardOptions& options_;
  window::WindowSettings settings_;
  window::WindowSettings written_;
  window::WindowSettings settling_;  ///< settings of the previous frame
  window::Window& window_;
  session::Session& session_;
  ui::ScreenMemory memory_;
  std::string items_written_;
  std::optional<view::SelectMachine> next_machine_;
  std::ofstream frames_;
  std::optional<view::TakePicture> picture_;
  double picture_at_ = 0;
  window::FramePace pace_;
  bool shot_asked_ = false;
  bool shot_failed_ = false;
  int settled_ = 0;
};

struct NextMachine {
  view::SelectMachine chosen;
  session::CarriedState carried;
};

/// Shows the runs of one machine until the window is closed or another machine is chosen.
Result<int> show_machine(const DashboardOptions& options, session::Session::Options wishes,
                         window::Window& window, std::optional<NextMachine>& next) {
  // Declared after the window and so destroyed before it, since the session's threads wake the
  // window.
  session::Session session(std::move(wishes), [] { window::Window::wake(); });
  RINGSIDE_TRY(session.start());
  Dashboard dashboard(options, settings_for(options), window, session);
  const int code = dashboard.run();
  dashboard.keep_settings(true);
  if (const auto& chosen = dashboard.next_machine())
    next = NextMachine{*chosen, session.carried_to(*chosen)};
  return code;
}

int run(DashboardOptions options) {
  const window::WindowSettings settings = settings_for(options);
  auto wishes = session_options(options, settings);
  if (!wishes) return complain(wishes.error());
  window::WindowOptions wanted;
  wanted.width = settings.width;
  wanted.height = settings.height;
  wanted.user_scale = settings.scale;
  wanted.light = settings.light;
  wanted.mouse = options.shot.empty();
  auto window = window::Window::open(wanted);
  if (!window) return complain(window.error());
  const std::filesystem::path here =
      options.on.empty() ? options.runs_dir : std::filesystem::path();
  for (;;) {
    std::optional<NextMachine> next;
    const auto shown = show_machine(options, std::move(*wishes), **window, next);
    if (!shown) return complain(shown.error());
    if (!next) return *shown;
    // Folders and runs on the command line were those of the first machine.
    options.runs_dir = next->chosen.address.empty() ? here : std::filesystem::path();
    options.run.clear();
    options.compare.clear();
    options.show.clear();
    options.on = next->chosen.address;
    options.page = lower_case(view::name_of(next->chosen.page));
    wishes = session_options(options, settings);
    if (!wishes) return complain(wishes.error());
    wishes->carried = std::move(next->carried);
  }
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  const auto parsed = window::parse_options(argc, argv);
  if (!parsed) return complain(parsed.error());
  if (const auto* text = std::get_if<window::PrintAndLeave>(&*parsed)) {
    std::fputs(text->text.c_str(), stdout);
    return 0;
  }
  return run(std::get<DashboardOptions>(*parsed));
}
