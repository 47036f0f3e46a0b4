// Notes that a person wrote at steps of a run: their marks on charts, and which note a place on a
// chart means. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gui/view/chart/chart.h"
#include "gui/view/menu.h"
#include "gui/view/run_context.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kSaveNote = "Save##note";
inline constexpr const char* kRemoveNote = "Remove##note";
inline constexpr const char* kCancelNote = "Cancel##note";
inline constexpr const char* kNoteEntry = "Write a note on the charts";
}  // namespace label

/// Adds a mark for each note. `prefix` stands before the text: the letter of a compared run.
void add_notes(const model::RunModel& model, std::span<const runs::ChartNote> notes,
               ChartView& chart, const std::string& prefix = {});

/// Returns the step that a note at this place belongs to: that of a note nearby, or else the place
/// itself; below 0, the newest step. Nothing: the run takes no notes or has no step.
std::optional<std::int64_t> note_step(const model::RunModel& model, const RunContext& context,
                                      const ChartChoice& choice, double step);
/// Returns the text of the note at exactly this step; empty: there is none.
std::string note_text(const RunContext& context, std::int64_t step);
/// Returns "Note at step 1,205 of #12".
std::string note_title(const model::RunModel& model, const RunContext& context, std::int64_t step);

/// Returns the entry of a chart's menu; nothing where note_step() returns nothing.
std::optional<MenuEntry> note_entry(const model::RunModel& model, const RunContext& context,
                                    const ChartChoice& choice, double step);

}  // namespace ringside::view
