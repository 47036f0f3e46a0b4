// Marks on the top edge of a run's charts.
#include <algorithm>

#include "gui/view/chart_parts.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"

namespace ringside::view {
namespace {

/// A schedule that changes the rate in every step is a curve, not a list of drops.
constexpr std::size_t kMostDrops = 24;

void add_drops(const model::RunModel& model, const XScale& scale,
               std::vector<MarkerView>& markers) {
  const auto changes = model.lr_changes();
  if (changes.size() > kMostDrops) return;
  for (std::size_t i = 1; i < changes.size(); ++i) {
    if (changes[i].second >= changes[i - 1].second) continue;
    markers.push_back({MarkerKind::kLrDrop, scale.x_of(static_cast<double>(changes[i].first)),
                       "LR " + lr_text(static_cast<double>(changes[i].second)), false});
  }
}

void add_planned_drops(const model::RunModel& model, const XScale& scale,
                       std::vector<MarkerView>& markers) {
  const auto& schedule = model.spec().schedule;
  const std::int64_t steps = model.steps_per_epoch();
  if (schedule.name != "step" || schedule.step_epochs < 1 || steps < 1 ||
      scale.axis() == XAxis::kTime)
    return;
  std::size_t added = 0;
  for (std::int64_t epoch = schedule.step_epochs; epoch < model.epochs_planned();
       epoch += schedule.step_epochs) {
    if (epoch * steps < static_cast<std::int64_t>(model.steps_end())) continue;
    if (++added > kMostDrops) return;
    markers.push_back(
        {MarkerKind::kLrDrop, scale.x_of(static_cast<double>(epoch * steps)), "", true});
  }
}

}  // namespace

std::vector<MarkerView> run_markers(const model::RunModel& model, const RunContext& context,
                                    const XScale& scale) {
  std::vector<MarkerView> markers;
  add_drops(model, scale, markers);
  const bool over = is_over(model, context);
  if (!over) add_planned_drops(model, scale, markers);
  if (!model.ranks().empty()) {
    const auto& first = *model.rank(model.ranks().front());
    if (first.restarts > 0 && first.hello) {
      markers.push_back({MarkerKind::kRestart,
                         scale.x_of(static_cast<double>(first.hello->first_step)), "resumed",
                         false});
    }
  }
  if (!over && model.steps_end() > 0) {
    markers.push_back(
        {MarkerKind::kNow, scale.x_of(static_cast<double>(model.steps_end() - 1)), "now", false});
  }
  return markers;
}

}  // namespace ringside::view
