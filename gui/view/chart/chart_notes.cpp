#include "gui/view/chart/chart_notes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/model/run_model.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/number_format.h"
#include "protocol/base/printable.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

/// A note within this share of the shown steps is the one that is meant.
constexpr double kNear = 0.01;

std::string words_of(const model::RunModel& model, std::int64_t step) {
  return "step " + value_step_text(step, messages::first_step_number(model.spec()));
}

}  // namespace

void add_notes(const model::RunModel& model, std::span<const runs::ChartNote> notes,
               ChartView& chart, const std::string& prefix) {
  if (notes.empty()) return;
  const XScale scale(model, chart.axis);
  if (scale.axis() != chart.axis) return;
  std::vector<MarkerView> marks;
  for (const runs::ChartNote& note : notes) {
    if (note.step >= static_cast<std::int64_t>(model.steps_end())) continue;  // has no moment yet
    marks.push_back({MarkerKind::kNote, scale.x_of(static_cast<double>(note.step)),
                     prefix + printable_line(note.text), false});
  }
  // The first texts get the room in an image, and no other one is a person's own words.
  chart.markers.insert(chart.markers.begin(), marks.begin(), marks.end());
}

std::optional<std::int64_t> note_step(const model::RunModel& model, const RunContext& context,
                                      const ChartChoice& choice, double step) {
  if (!context.takes_notes || model.steps_end() == 0) return std::nullopt;
  const auto last = static_cast<double>(model.steps_end() - 1);
  const double at = step < 0 ? last : std::min(step, last);
  const model::Window shown = shown_window(model, choice);
  const auto near = std::ranges::min_element(context.notes, {}, [at](const auto& note) {
    return std::abs(static_cast<double>(note.step) - at);
  });
  const bool meant =
      near != context.notes.end() &&
      std::abs(static_cast<double>(near->step) - at) <= (shown.end - shown.begin) * kNear;
  return meant ? near->step : std::llround(at);
}

std::string note_text(const RunContext& context, std::int64_t step) {
  const auto note = std::ranges::find(context.notes, step, &runs::ChartNote::step);
  return note == context.notes.end() ? std::string() : note->text;
}

std::string note_title(const model::RunModel& model, const RunContext& context, std::int64_t step) {
  return "Note at " + words_of(model, step) + " of " + run_label(context.number, context.id);
}

std::optional<MenuEntry> note_entry(const model::RunModel& model, const RunContext& context,
                                    const ChartChoice& choice, double step) {
  const auto at = note_step(model, context, choice, step);
  if (!at) return std::nullopt;
  const bool written = !note_text(context, *at).empty();
  return MenuEntry{(written ? "Edit the note at " : "Note at ") + words_of(model, *at) + "…", "N",
                   AskNote{static_cast<double>(*at)}};
}

}  // namespace ringside::view
