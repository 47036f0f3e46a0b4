// The panels of the Runs place: the strip with filter and actions, the list, and beside it the
// selected run or the comparison of the marked ones. Main thread, inside a frame.
#pragma once

#include <optional>
#include <string>

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::ui {

/// A label that is being typed, and the text that the run's file had when it was last read.
struct TypedLabel {
  std::string text, known;
};

/// What is being typed into the labels of a run.
struct LabelsMemory {
  std::string id;
  TypedLabel name, tags, note;
};

/// What the window itself remembers of this place.
struct RunsMemory {
  std::optional<double> compared_x;  ///< where the mouse is over a chart of the comparison
  bool details = false;  ///< on a narrow window: the selected run is shown beside or over the list
};

/// `narrow`: the details have a button here.
void draw_runs_strip(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& area,
                     bool narrow, RunsMemory& memory, view::CommandQueue& commands);
void draw_runs_table(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& area,
                     view::CommandQueue& commands);
void draw_run_details(const view::RunDetailsView& run, const Rect& area, LabelsMemory& typed,
                      view::CommandQueue& commands);
void draw_compare(const view::CompareView& compare, const view::CompareChoice& choice,
                  const Rect& area, RunsMemory& memory, view::CommandQueue& commands);
/// Where the loss of so many compared runs is plotted, or the chart that is `alone`: what builders
/// thin to.
Rect compare_plot(const Rect& panel, bool alone, std::size_t runs);

/// Speed at which a replay starts, in multiples of the speed of the run.
inline constexpr double kReplaySpeed = 4;

}  // namespace ringside::ui
