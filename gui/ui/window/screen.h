// The whole window from what the session knows: picks the place, lays out its panels, builds the
// views that changed and draws them. Everything a person does becomes a command. Main thread,
// between ImGui::NewFrame and Render.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gui/ui/window/arrangement.h"
#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/live/live_panels.h"
#include "gui/ui/runs/runs_panels.h"
#include "gui/view/window/alert_settings.h"
#include "gui/view/cached.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/export_question.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"

namespace ringside::ui {

/// The open run. `charts` moves with every record, `numbers` at most four times a second, so that
/// they can be read.
struct LiveInput {
  const model::RunModel* model = nullptr;  ///< null: no run is open
  view::RunContext context;
  view::BaselineContext baseline;
  std::uint64_t baseline_revision = 0;
  view::ChartChoice choice;
  std::span<const view::RankText> texts;
  const view::LogSearch* search = nullptr;  ///< through the whole files of the run
  bool can_read_earlier = false;            ///< the files hold more before what was read
  std::uint64_t chart_revision = 0;
  std::uint64_t number_revision = 0;
};

struct LaunchInput {
  const view::LaunchForm* form = nullptr;
  const view::MachineSummary* machine = nullptr;
  std::span<const view::BaselineChoice> baselines;
  std::span<const view::CheckView> checks;
  std::span<const view::PresetChoice> presets;
  bool busy = false;
  std::string problem;         ///< why the last start failed
  std::uint64_t revision = 0;  ///< of all of it
};

struct RunsInput {
  std::span<const view::RunSummary> runs;
  view::RunsChoice choice;
  std::int64_t now_wall_ns = 0;
  std::uint64_t revision = 0;
  std::span<const view::ComparedRun> compared;  ///< the marked ones, as far as they are read
  std::uint64_t compared_revision = 0;
  std::size_t unread = 0;  ///< runs of which only the folder is known yet
  bool looked = true;      ///< false: which runs there are is not known yet
};

/// Something to tell that belongs to no panel; it stays until closed or replaced.
struct Message {
  std::uint64_t number = 0;  ///< 0: none
  view::Tone tone = view::Tone::kText;
  std::string text;                      ///< empty: none
  std::string action;                    ///< word of a button beside it; empty: none
  std::optional<view::Command> command;  ///< what it asks for
  double share = -1;                     ///< done of what it tells of, 0 .. 1; below 0: no bar
};

/// The question before an export.
struct ExportInput {
  bool asking = false;
  view::ExportFacts facts;
};

/// What was chosen in the desktop's own dialog, and how often one was: the same may be chosen
/// again.
struct Browsed {
  std::string path;
  int times = 0;
};

struct ScreenInput {
  view::Place place = view::Place::kLaunch;
  LiveInput live;
  LaunchInput launch;
  RunsInput runs;
  std::optional<view::LastResult> last;
  Message message;
  ExportInput exporting;
  bool asking_stop = false;
  bool showing_keys = false;
  bool showing_palette = false;
  bool showing_alerts = false;
  view::AlertSettingsView alerts;  ///< filled while it is shown
  bool showing_settings = false;
  bool showing_open = false;  ///< the sheet that asks for the path of a run folder
  bool can_browse = false;    ///< the desktop has a dialog of its own
  Browsed browsed;            ///< what was chosen in it
};

/// What is being typed into the command palette.
struct PaletteMemory {
  std::string typed;
  int selected = 0;
  bool moved = false;
  bool focused = false;
};

/// What is being typed into the settings of alerts.
struct AlertMemory {
  std::string typed;
  bool open = false;
};

/// What is chosen in the question before an export.
struct ExportMemory {
  std::string id;
  view::ExportChoice choice;
};

/// What is being typed into the sheet that opens a run folder.
struct OpenMemory {
  std::string path;
  int browsed = 0;  ///< so many choices of the dialog were taken over
  bool focused = false;
};

/// What the screen remembers between frames: open tabs and the views it has built.
class ScreenMemory {
 public:
  ScreenMemory();
  ~ScreenMemory();
  ScreenMemory(const ScreenMemory&) = delete;
  ScreenMemory& operator=(const ScreenMemory&) = delete;

  /// Views of the Live place built so far; for tests of what is kept.
  unsigned long view_builds() const;

  LiveMemory live;
  LaunchMemory launch;
  RunsMemory runs;
  LabelsMemory labels;
  PaletteMemory palette;
  AlertMemory alerts;
  ExportMemory exporting;
  OpenMemory open;
  Arrangement arrangement;
  std::uint64_t closed_message = 0;
  struct Views;
  std::unique_ptr<Views> views;
};

void draw_screen(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);

/// The keys of the window, read before the panels are drawn. None acts while a text field has the
/// focus.
void read_keys(const ScreenInput& input, const view::LaunchView* launch, ScreenMemory& memory,
               view::CommandQueue& commands);

void command_palette(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);

void alert_settings(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);
void export_question(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);
/// The settings of the window, and the sheet that opens or imports a run folder by its path.
void settings_sheet(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);
void open_sheet(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);

/// The questions before a run is stopped and exported, the list of keys, and the message box. Drawn
/// last.
void draw_questions(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);

}  // namespace ringside::ui
