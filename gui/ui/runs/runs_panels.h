// The panels of the Runs place: the strip with filter and actions, the list, and beside it the
// selected run or the comparison of the marked ones. Main thread, inside a frame.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

/// A label that is being typed, and the text that the run's file had when it was last read.
struct TypedLabel {
  std::string text, known;
};

/// Text that is typed into the labels of a run.
struct LabelsMemory {
  std::string id;
  TypedLabel name, tags, note;
};

/// State of the filter while a person types.
struct FilterMemory {
  int offer = -1;  ///< completion chosen by arrows; below 0: none
  bool active = false;
  bool over_offers = false;  ///< the mouse is over the completions
  bool focus = false;        ///< the field gets the focus in the next frame
  bool to_end = false;       ///< moves the cursor to the end of the text
};

/// The run whose menu is open, and the text that is typed into a popup of it.
struct RunMenuMemory {
  std::string id;
  const char* opens = nullptr;  ///< the popup that opens in the next frame
  std::string typed;
  bool focus = false;
};

/// State of this page that only the window needs.
struct RunsMemory {
  FilterMemory filter;
  RunMenuMemory menu;
  std::string column_search;
  std::map<std::string, Rect> chart_areas;  ///< fully visible charts of Compare
  std::optional<double> compared_x;         ///< x under the mouse in a compared chart
  bool details = false;  ///< on a narrow window: the selected run is shown beside or over the list
};

/// `narrow`: show a button for the details.
void draw_runs_strip(const view::RunsInput& input, const view::RunsView& runs, const Rect& area,
                     bool narrow, RunsMemory& memory, view::CommandQueue& commands);
void draw_runs_table(const view::RunsInput& input, const view::RunsView& runs, const Rect& area,
                     RunsMemory& memory, view::CommandQueue& commands);
/// Completes the word that is typed; Enter opens a path.
void run_filter_field(const view::RunsInput& input, const Rect& field, FilterMemory& memory,
                      view::CommandQueue& commands);
/// A button that opens the list of columns.
void run_columns_button(const view::RunsInput& input, const Rect& where, std::string& search,
                        view::CommandQueue& commands);
/// Opens the menu of a run, which is drawn by run_menu_popups().
void ask_about_run(const std::string& id, RunMenuMemory& memory);
/// Handles the keys of menu, rename and tags for the selected run.
void run_menu_keys(const view::RunsInput& input, RunMenuMemory& memory);
void run_menu_popups(const view::RunsInput& input, RunMenuMemory& memory,
                     view::CommandQueue& commands);
void draw_run_details(const view::RunDetailsView& run, const Rect& area, LabelsMemory& typed,
                      view::CommandQueue& commands);
void draw_compare(const view::CompareView& compare, const view::CompareChoice& choice,
                  const Rect& area, RunsMemory& memory, view::CommandQueue& commands);
/// Returns the plot of the loss of this many compared runs, or of the chart that is `alone`; its
/// width limits the points of a line.
Rect compare_plot(const Rect& panel, bool alone, std::size_t runs);

}  // namespace ringside::ui
