// The three charts of an open run: loss, accuracy, step time. Built for a window and a number of
// pixel columns; the caller keeps them in a Cached keyed on ChartKey. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/chart/chart_menu.h"
#include "gui/view/run_context.h"

namespace ringside::view {

/// Titles, switches and legends of the charts.
namespace label {
inline constexpr const char* kLoss = "Loss";
inline constexpr const char* kAccuracy = "Accuracy";
inline constexpr const char* kStepTime = "Step time";
inline constexpr const char* kLinear = "Linear";
inline constexpr const char* kLogarithmic = "Log";
inline constexpr const char* kLossWithoutLog =
    "Drawn on a linear scale: a loss of zero or below is in view, and it has no logarithm.";
inline constexpr const char* kNoLossForLog = "Drawn on a linear scale: no loss is in view.";
inline constexpr const char* kCompute = "Data + compute";
inline constexpr const char* kWholeStep = "Whole step";
inline constexpr const char* kMean = "mean";
inline constexpr const char* kBand = "min-max";
inline constexpr const char* kBaseline = "baseline";
inline constexpr const char* kLossSpread = "Loss spread";
}  // namespace label

/// Returns the menu of a chart named "loss", "accuracy", "step_time", or "metric." and a name.
/// `note`: its entry for notes; nothing: the run takes none.
Menu run_chart_menu(const ChartView& chart, const ChartChoice& choice, const std::string& name,
                    const std::optional<MenuEntry>& note = {});

/// Everything a chart of a run depends on.
struct ChartKey {
  std::uint64_t revision = 0;
  std::uint64_t baseline_revision = 0;
  const model::RunModel* baseline = nullptr;
  int pixels = 0;
  int height = 0;
  Contact contact = Contact::kEnded;
  bool held = false;
  std::vector<runs::ChartNote> notes;
  ChartChoice choice;
  bool operator==(const ChartKey&) const = default;
};
ChartKey chart_key(const model::RunModel& model, const RunContext& context,
                   const BaselineContext& baseline, const ChartChoice& choice, int pixels,
                   int height);

/// Training loss per rank with mean and band; baseline on the epoch and samples axes only.
ChartView build_loss_chart(const model::RunModel& model, const RunContext& context,
                           const BaselineContext& baseline, const ChartChoice& choice, int pixels,
                           int height);
/// Training accuracy per rank (of whole passes and of steps) and validation points, in percent.
ChartView build_accuracy_chart(const model::RunModel& model, const RunContext& context,
                               const BaselineContext& baseline, const ChartChoice& choice,
                               int pixels, int height);
/// Own work or whole step per rank in ms, last 200 steps; x counts steps whatever the axis.
ChartView build_step_time_chart(const model::RunModel& model, const RunContext& context,
                                const ChartChoice& choice, int pixels, int height);

}  // namespace ringside::view
