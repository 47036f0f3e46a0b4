// Two runs side by side.
#include <algorithm>
#include <cmath>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/progress.h"
#include "gui/view/chart_parts.h"
#include "gui/view/launch_form.h"
#include "gui/view/number_format.h"
#include "gui/view/run_charts.h"
#include "gui/view/runs_view.h"

namespace ringside::view {
namespace {

using model::Extremes;
using model::RunModel;

constexpr int kChartHeight = 200;

std::string label_of(const RunModel& model, const RunContext& context) {
  return run_label(context.number, context.id) + " " +
         (on_gpus(model) ? plural(model.world_size(), "GPU", "GPUs")
                         : plural(model.world_size(), "rank", "ranks"));
}

std::string hint_of(const RunModel& model, const RunContext& context) {
  std::string state = run_state_view(model, context).word;
  if (!state.empty())
    state[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(state[0])));
  const auto progress = analysis::progress(model, model.last_ns());
  std::string text = state;
  if (progress.epochs > 0)
    text += ", epoch " + count_text(progress.epoch + 1) + "/" + count_text(progress.epochs);
  return text;
}

/// The axis both runs can give: falls back to steps together.
XAxis common_axis(const RunModel& a, const RunModel& b, XAxis wanted) {
  return XScale(a, wanted).axis() == wanted && XScale(b, wanted).axis() == wanted ? wanted
                                                                                  : XAxis::kStep;
}

void add_loss(const RunModel& model, XAxis axis, LineKind kind, const char* label, int pixels,
              ChartView& chart, Extremes& range) {
  const XScale scale(model, axis);
  Plotting plot;
  plot.window = {0, static_cast<double>(std::max<std::size_t>(1, model.steps_end()))};
  plot.pixels = pixels;
  plot.x = &scale;
  LineView line;
  line.kind = kind;
  line.label = label;
  add_means(model.mean_loss(), plot, line, range);
  chart.lines.push_back(std::move(line));
}

void add_validations(const RunModel& model, XAxis axis, LineKind kind, const char* label,
                     ChartView& chart, Extremes& range) {
  const XScale scale(model, axis);
  LineView line;
  line.kind = kind;
  line.label = label;
  const auto validations = analysis::passes(model, messages::Phase::kValidate);
  for (const auto& pass :
       validations.empty() ? analysis::passes(model, messages::Phase::kTest) : validations) {
    if (!pass.complete || pass.counted <= 0) continue;
    const auto value = static_cast<float>(pass.accuracy() * 100);
    line.columns.push_back(
        {scale.x_of(static_cast<double>(pass.last_step + 1)), value, value, value, value});
    range.add(value);
  }
  chart.lines.push_back(std::move(line));
}

void finish_chart(const RunModel& a, const RunModel& b, XAxis axis, int pixels, bool logarithmic,
                  const Extremes& range, ChartView& chart) {
  const XScale scale_a(a, axis);
  const XScale scale_b(b, axis);
  chart.axis = axis;
  const AxisView first = x_axis(a, scale_a, shown_window(a, {}), pixels);
  const AxisView second = x_axis(b, scale_b, shown_window(b, {}), pixels);
  chart.x = first.high >= second.high ? first : second;
  chart.y = y_axis(range, logarithmic, kChartHeight);
  if (!range.has_finite()) chart.empty = {{"No data yet.", Style::kDim}};
}

void add_charts(const RunModel& a, const RunModel& b, XAxis wanted, int pixels, CompareView& view) {
  const XAxis axis = common_axis(a, b, wanted);
  Extremes range;
  view.loss.title = "Train loss";
  add_loss(a, axis, LineKind::kRunA, "A", pixels, view.loss, range);
  add_loss(b, axis, LineKind::kRunB, "B", pixels, view.loss, range);
  finish_chart(a, b, axis, pixels, true, range, view.loss);
  range = {};
  view.accuracy.title = "Val accuracy %";
  add_validations(a, axis, LineKind::kRunA, "A", view.accuracy, range);
  add_validations(b, axis, LineKind::kRunB, "B", view.accuracy, range);
  finish_chart(a, b, axis, pixels, false, range, view.accuracy);
  if (const auto shared = analysis::shared_validation(a, b)) {
    view.accuracy.aside = "at epoch " + count_text(shared->run.epoch + 1) + "  A " +
                          accuracy_number(shared->run.accuracy()) + "  B " +
                          accuracy_number(shared->baseline.accuracy()) + "  A − B " +
                          points_text(shared->delta());
  }
}

void add_times(const RunModel& a, const RunModel& b, CompareView& view) {
  const Epoch epochs = std::min(analysis::complete_epochs(a), analysis::complete_epochs(b));
  const auto time_a = analysis::seconds_to_epoch(a, epochs);
  const auto time_b = analysis::seconds_to_epoch(b, epochs);
  view.a_time = clock_text(time_a.value_or(std::nan("")));
  view.b_time = clock_text(time_b.value_or(std::nan("")));
  view.ratio = std::string(kDash);
  if (!time_a || !time_b || *time_a <= 0 || *time_b <= 0) return;
  view.same_epochs = plural(epochs, "epoch", "epochs");
  view.ratio = speedup_text(*time_b / *time_a);
  const double longest = std::max(*time_a, *time_b);
  view.a_share = *time_a / longest;
  view.b_share = *time_b / longest;
}

/// Settings in which a fair pair may differ: how many devices, and what follows from that.
bool may_differ(const std::string& key) {
  return key == "name" || key.starts_with("devices.") || key.starts_with("baseline.") ||
         key.starts_with("checkpoint.") || key.starts_with("limits.") ||
         key.starts_with("batch.") || key == "data.workers" || key == "data.root" ||
         key == "optimizer.lr";
}

void add_differences(const RunModel& a, const RunModel& b, CompareView& view) {
  const auto found = messages::differences(a.spec(), b.spec());
  std::string unfair;
  for (const auto& difference : found) {
    view.differences.push_back({difference.key, difference.left, difference.right});
    if (!may_differ(difference.key)) unfair += (unfair.empty() ? "" : ", ") + difference.key;
  }
  view.differs = count_text(static_cast<std::int64_t>(found.size())) + " of " +
                 count_text(static_cast<std::int64_t>(field_count())) + " settings";
  view.fair = unfair.empty();
  if (view.fair) {
    view.verdict = {{"Same model, data, seed, epochs and evaluation: a fair pair.", Style::kDim}};
  } else {
    view.verdict = {{"Not a fair pair: ", Style::kStrong},
                    {"they differ in " + unfair + ".", Style::kWords}};
  }
}

}  // namespace

CompareView build_compare_view(const RunModel& a, const RunContext& a_context, const RunModel& b,
                               const RunContext& b_context, XAxis axis, int pixels) {
  CompareView view;
  view.a_label = label_of(a, a_context);
  view.a_hint = hint_of(a, a_context);
  view.b_label = label_of(b, b_context);
  view.b_hint = hint_of(b, b_context);
  add_charts(a, b, axis, pixels, view);
  add_times(a, b, view);
  add_differences(a, b, view);
  return view;
}

}  // namespace ringside::view
