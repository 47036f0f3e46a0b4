// Draws the whole window from the session's state: picks the page, lays out its panels, builds the
// views that changed and draws them. Every action of a person becomes a command. Main thread,
// between ImGui::NewFrame and Render.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gui/ui/arrangement.h"
#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/live/live_memory.h"
#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/sampler/sampler_memory.h"
#include "gui/ui/timeline/timeline_page.h"
#include "gui/ui/window/manual_memory.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/scaling/waterfall_view.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

/// Text that is typed into the command palette or the sheet of machines.
struct PaletteMemory {
  std::string typed;
  int selected = 0;
  bool moved = false;
  bool focused = false;
};

struct AlertMemory {
  std::string typed;
  bool open = false;
};

/// Choices in the dialog before an export.
struct ExportMemory {
  std::vector<std::string> ids;
  view::ExportChoice choice;
  int browsed = 0;  ///< number of chosen paths already used
};

/// Choices in the sheet before changes are tried.
struct TriesMemory {
  int budget = 1;
  bool other_numbers = false;
};

/// Text that is typed into the sheet that opens a run folder.
struct OpenMemory {
  std::string path;
  int browsed = 0;  ///< number of chosen paths already used
  bool focused = false;
};

struct NoteMemory {
  std::optional<std::int64_t> step;  ///< nothing: the sheet is closed
  std::string typed;
  bool focused = false;
};

/// The typed path of the chooser of files, and its rows.
struct ChooserMemory {
  view::ChooserChoice choice;
  view::Cached<view::ChooserKey, view::Table> rows;
  int times = 0;          ///< number of times it was opened
  int selected = -1;      ///< row of the last frame
  bool replaced = false;  ///< the path was not changed by typing
  bool focus = false;     ///< the field gets the focus in the next frame
};

/// State of the screen between frames: open tabs and the views it has built.
class ScreenMemory {
 public:
  ScreenMemory();
  ~ScreenMemory();
  ScreenMemory(const ScreenMemory&) = delete;
  ScreenMemory& operator=(const ScreenMemory&) = delete;

  /// Number of views of the Live and Sampler pages built so far; for tests of caching.
  unsigned long view_builds() const;

  LiveMemory live;
  LaunchMemory launch;
  bool launch_after_field = false;  ///< Ctrl Enter was pressed in a field
  RunsMemory runs;
  SamplerMemory sampler;
  TimelineMemory timeline;
  LabelsMemory labels;
  PaletteMemory palette;
  PaletteMemory machines;
  ManualMemory manual;
  AlertMemory alerts;
  ExportMemory exporting;
  OpenMemory open;
  NoteMemory note;
  ChooserMemory chooser;
  TriesMemory tries;
  Arrangement arrangement;
  view::ColumnChoice setting_columns;  ///< columns of a study's table
  analysis::StepChange what_if;        ///< the change set by the sliders
  std::uint64_t closed_message = 0;
  struct Views;
  std::unique_ptr<Views> views;
};

void draw_screen(const view::ScreenInput& input, ScreenMemory& memory,
                 view::CommandQueue& commands);

/// Returns the section of the manual about the current page.
view::ManualPlace help_place(const view::ScreenInput& input, const ScreenMemory& memory);

/// Handles the window's keys, before the panels are drawn; none while a text field has the focus.
void read_keys(const view::ScreenInput& input, const view::LaunchView* launch, ScreenMemory& memory,
               view::CommandQueue& commands);

void command_palette(const view::ScreenInput& input, ScreenMemory& memory,
                     view::CommandQueue& commands);

void machine_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                   view::CommandQueue& commands);
void alert_settings(const view::ScreenInput& input, ScreenMemory& memory,
                    view::CommandQueue& commands);
/// Draws the manual, above all other sheets.
void manual_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                  view::CommandQueue& commands);
/// Draws the sheet with the checks of this machine, real runs included.
void doctor_sheet(const view::ScreenInput& input, view::CommandQueue& commands);
void stack_sheet(const view::ScreenInput& input, view::CommandQueue& commands);
void export_question(const view::ScreenInput& input, ScreenMemory& memory,
                     view::CommandQueue& commands);
/// Draws the sheet that explains the speedup that the open run lost.
void waterfall_sheet(const view::ScreenInput& input, const view::WaterfallView& view,
                     ScreenMemory& memory, view::CommandQueue& commands);
/// Returns the predicted step with the chosen change; built only while it is shown.
const view::WhatIfView& what_if_view(const view::ScreenInput& input, ScreenMemory& memory);
void tries_sheet(const view::ScreenInput& input, TriesMemory& memory, view::CommandQueue& commands);
/// Draws the published experiment of the open run, or of the study on the Scaling page.
void experiment_sheet(const view::ScreenInput& input, const view::ExperimentView& view,
                      view::CommandQueue& commands);
/// Draws the settings of the window, and the sheet that opens or imports a run folder by its path.
void settings_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                    view::CommandQueue& commands);
void open_sheet(const view::ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands);
void note_sheet(const view::ScreenInput& input, NoteMemory& memory, view::CommandQueue& commands);
/// Draws the chooser of files and folders, in place of the sheet that asked for it.
void file_chooser(const view::ChooserInput& input, ChooserMemory& memory,
                  view::CommandQueue& commands);

/// Draws the dialogs before a run is stopped or exported, the list of keys, and the message box.
/// Called last.
void draw_questions(const view::ScreenInput& input, ScreenMemory& memory,
                    view::CommandQueue& commands);

/// Whether the mouse is over the message in the corner, which is then being read. Called after a
/// frame was built.
bool message_hovered();

}  // namespace ringside::ui
