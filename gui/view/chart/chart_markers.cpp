// Markers on the top edge of a run's charts.
#include <limits>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"

namespace ringside::view {
namespace {

/// A learning rate with more drops than this is a curve: marking each would hide the chart.
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
  if (steps < 1 || scale.axis() == XAxis::kTime) return;
  std::vector<std::int64_t> epochs;
  if (schedule.name == "multistep") epochs = schedule.milestones;
  if (schedule.name == "step" && schedule.step_epochs > 0) {
    for (std::int64_t epoch = schedule.step_epochs;
         epoch < model.epochs_planned() && epochs.size() <= 2 * kMostDrops;
         epoch += schedule.step_epochs) {
      if (epoch * steps >= static_cast<std::int64_t>(model.steps_end())) epochs.push_back(epoch);
    }
  }
  if (epochs.size() > kMostDrops) return;
  for (const std::int64_t epoch : epochs) {
    if (epoch * steps < static_cast<std::int64_t>(model.steps_end())) continue;
    markers.push_back(
        {MarkerKind::kLrDrop, scale.x_of(static_cast<double>(epoch * steps)), "", true});
  }
}

/// Marks the attempts that are part of the final run; a later attempt may have resumed from before
/// an earlier one.
void add_resumes(const model::RunModel& model, const XScale& scale,
                 std::vector<MarkerView>& markers) {
  const auto attempts = model.attempts();
  Step later = std::numeric_limits<Step>::max();
  for (std::size_t i = attempts.size(); i > 1; --i) {
    const Step first = attempts[i - 1].first_step;
    if (first >= later) continue;
    later = first;
    markers.push_back(
        {MarkerKind::kRestart, scale.x_of(static_cast<double>(first)), "resumed", false});
  }
}

constexpr std::size_t kMostCheckpoints = 200;

void add_checkpoints(const model::RunModel& model, const XScale& scale,
                     std::vector<MarkerView>& markers) {
  const auto all = model.checkpoints();
  const std::size_t first = all.size() > kMostCheckpoints ? all.size() - kMostCheckpoints : 0;
  for (const auto& entry : all.subspan(first)) {
    const Step step = entry.checkpoint.step;
    markers.push_back({MarkerKind::kCheckpoint, scale.x_after(static_cast<double>(step)),
                       "Checkpoint after step " + count_text(step), false});
  }
}

constexpr std::size_t kMostEvaluations = 200;

void add_evaluations(const model::RunModel& model, const XScale& scale,
                     std::vector<MarkerView>& markers) {
  for (const messages::Phase phase : {messages::Phase::kValidate, messages::Phase::kTest}) {
    const auto passes = analysis::passes(model, phase);
    const std::size_t first =
        passes.size() > kMostEvaluations ? passes.size() - kMostEvaluations : 0;
    for (std::size_t i = first; i < passes.size(); ++i) {
      const auto& pass = passes[i];
      if (!pass.complete || pass.counted <= 0) continue;
      const char* const word = phase == messages::Phase::kTest ? "Tested" : "Validated";
      markers.push_back({MarkerKind::kEvaluation,
                         scale.x_after(static_cast<double>(
                             analysis::pass_end(model, pass.epoch, pass.last_step))),
                         std::string(word) + " after epoch " + count_text(pass.epoch + 1) + ": " +
                             accuracy_text(pass.accuracy()),
                         false});
    }
  }
}

/// Marks where the run ended early: a cross per failed rank, else a square.
void add_endings(const model::RunModel& model, const XScale& scale,
                 std::vector<MarkerView>& markers) {
  for (const Rank number : model.ranks()) {
    const auto& rank = *model.rank(number);
    if (!has_failed(rank) || rank.newest_step < 0 || markers.size() > 400) continue;
    markers.push_back({MarkerKind::kFailure, scale.x_of(static_cast<double>(rank.newest_step)),
                       rank_label(number) + " failed", false});
  }
  const auto& state = model.run_state();
  if (state && state->state == messages::State::kStopped && model.steps_end() > 0) {
    markers.push_back({MarkerKind::kStop, scale.x_of(static_cast<double>(model.steps_end() - 1)),
                       "stopped", false});
  }
}

}  // namespace

std::vector<MarkerView> run_markers(const model::RunModel& model, const RunContext& context,
                                    const XScale& scale) {
  std::vector<MarkerView> markers;
  add_drops(model, scale, markers);
  add_endings(model, scale, markers);
  const bool over = is_over(model, context);
  if (!over) add_planned_drops(model, scale, markers);
  add_resumes(model, scale, markers);
  if (!over && model.steps_end() > 0) {
    markers.push_back({MarkerKind::kNow, scale.x_of(static_cast<double>(model.steps_end() - 1)),
                       context.held() ? "paused" : "now", false});
  }
  add_checkpoints(model, scale, markers);
  add_evaluations(model, scale, markers);
  return markers;
}

}  // namespace ringside::view
