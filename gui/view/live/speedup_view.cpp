#include "gui/view/live/speedup_view.h"

#include <algorithm>
#include <utility>

#include "gui/analysis/work.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/probe_words.h"
#include "gui/view/published.h"
#include "gui/view/state_view.h"

namespace ringside::view {
namespace {

using analysis::NoSpeedup;
using analysis::Speedup;

std::string devices(const model::RunModel& model) {
  const Rank devices = analysis::devices_of(model);
  return on_gpus(model) ? plural(devices, "GPU", "GPUs") : plural(devices, "rank", "ranks");
}

/// Fills the card of a run on one device, which has no baseline but can be that of others.
void add_single(const model::RunModel& model, const RunContext& context, SpeedupView& view) {
  const bool over = is_over(model, context);
  std::string what = "this run can be the baseline" + std::string(over ? "." : " when it is done.");
  if (!context.baseline_of.empty())
    what = "this run is the baseline of run " + context.baseline_of + ".";
  view.empty = {{on_gpus(model) ? "One GPU: " : "One rank: ", Style::kStrong},
                {std::move(what), Style::kWords}};
  view.offer_as_baseline = over && context.baseline_of.empty();
}

void add_empty(const model::RunModel& model, const RunContext& context, const Speedup& speedup,
               SpeedupView& view) {
  if (analysis::devices_of(model) == 1 && speedup.missing == NoSpeedup::kNoBaseline) {
    add_single(model, context, view);
  } else if (speedup.missing == NoSpeedup::kNoBaseline) {
    view.empty = {
        {"No baseline. ", Style::kStrong},
        {"Speedup is measured against a run of the same work on one device.", Style::kDim}};
  } else {
    view.empty = {{"No speedup yet. ", Style::kStrong}, {speedup.why, Style::kDim}};
  }
}

void add_bars(const model::RunModel& model, const BaselineContext& baseline, const Speedup& speedup,
              SpeedupView& view) {
  const double longest = std::max(speedup.baseline_total_s, speedup.run_total_s);
  view.baseline_label =
      "Baseline " + run_label(baseline.number, baseline.id) + ", " + devices(*baseline.model);
  view.baseline_time = clock_text(speedup.baseline_total_s);
  view.baseline_share = speedup.baseline_total_s / longest;
  view.run_label = "This run, " + devices(model) + (speedup.projected ? " (projected)" : "");
  view.run_time = clock_text(speedup.run_total_s);
  view.run_share = speedup.run_total_s / longest;
  view.ideal_share = speedup.ideal_total_s / longest;
  view.ideal_label = "ideal " + clock_text(speedup.ideal_total_s);
}

void add_brief(const Speedup& speedup, SpeedupView& view) {
  if (speedup.precision_differs)
    view.brief.push_back({"Different precision: no efficiency.  ", Style::kWords});
  view.brief.push_back({"Evaluation and checkpoints included", Style::kDim});
  if (!speedup.steady_speedup) return;
  view.brief.push_back({"; steps only ", Style::kDim});
  view.brief.push_back({speedup_text(*speedup.steady_speedup), Style::kNumber});
}

/// Adds the published speedup, and ours by the source's clock, beside our own, which is the large
/// figure.
void add_published(const model::RunModel& model, const RunContext& context,
                   const BaselineContext& baseline, const Speedup& speedup, SpeedupView& view) {
  if (context.preset == nullptr) return;
  const auto* figure = published_speedup(context.preset->file.published, speedup);
  if (figure == nullptr) return;
  const auto ours = analysis::speedup_by(clock_of(*figure), model, *baseline.model);
  view.brief = {{"Published ", Style::kDim}, {figure->printed, Style::kNumber}};
  if (figure->clock == "unstated") {
    view.brief.push_back({", its clock unstated", Style::kDim});
  } else {
    view.brief.push_back({"; by its clock here ", Style::kDim});
    view.brief.push_back({ours ? speedup_text(*ours) : std::string(kDash), Style::kNumber});
    view.brief.push_back({" (" + clock_words(*figure) + ")", Style::kDim});
  }
  view.note.push_back({"  ", Style::kDim});
  view.note.insert(view.note.end(), view.brief.begin(), view.brief.end());
}

void add_note(const Speedup& speedup, SpeedupView& view) {
  view.note.push_back({"The time includes evaluation and checkpoints.", Style::kDim});
  if (speedup.steady_speedup) {
    view.note.push_back({"  Training steps only: ", Style::kDim});
    view.note.push_back({speedup_text(*speedup.steady_speedup), Style::kNumber});
    view.note.push_back(
        {" (" + plural(speedup.warm_up_steps, "warm-up step", "warm-up steps") + " excluded).",
         Style::kDim});
  }
  if (speedup.precision_differs)
    view.note.push_back(
        {"  The precision differs from the baseline's: no efficiency is given.", Style::kWords});
}

/// Adds the measured ceiling beside the ideal, if the probe fits this comparison.
void add_ceiling(const RunContext& context, const Speedup& speedup, SpeedupView& view) {
  const auto& probe = context.probe;
  const bool measured = probe != nullptr && analysis::holds(probe->ceiling, speedup.speedup);
  if (!measured || speedup.baseline_devices != 1 || probe->devices.ranks != speedup.devices) return;
  const double longest = std::max(speedup.baseline_total_s, speedup.run_total_s);
  const double total_s = speedup.baseline_total_s / probe->ceiling;
  view.ceiling_share = total_s / longest;
  view.ideal_label += ", ceiling " + clock_text(total_s);
  view.note.push_back({"  " + contention_text(*probe, speedup.speedup), Style::kWords});
  view.brief = {{ceiling_text(*probe), Style::kWords}};
}

/// Adds reasons against a fair comparison, before all other notes.
void add_fairness(const model::RunModel& model, const model::RunModel& baseline,
                  SpeedupView& view) {
  view.fairness = fairness_verdict(model, baseline);
  view.note.push_back({"  " + view.fairness.told(), Style::kWords});
  if (!view.fairness.more.empty()) view.note.push_back({" " + view.fairness.more, Style::kWords});
  if (view.fairness.unfair())
    view.brief = {{label::kNotFair + std::string(": "), Style::kStrong},
                  {view.fairness.text, Style::kWords}};
}

}  // namespace

SpeedupView build_speedup_view(const model::RunModel& model, const RunContext& context,
                               const BaselineContext& baseline) {
  SpeedupView view;
  view.offers = context.baselines;
  view.compared = baseline.id;
  view.published = has_source(context.preset.get());
  const Speedup speedup = analysis::speedup(model, baseline.model, is_over(model, context));
  if (const auto newest = analysis::newest_validation(model))
    view.accuracy = accuracy_text(newest->accuracy());
  if (speedup.missing != NoSpeedup::kNone) {
    add_empty(model, context, speedup, view);
    return view;
  }
  view.shown = true;
  view.subtitle =
      speedup.epochs > 0 ? "same epochs, start-up excluded" : "same samples, start-up excluded";
  view.display = speedup_text(speedup.speedup);
  view.of_ideal = ideal_text(static_cast<double>(speedup.devices) /
                             static_cast<double>(speedup.baseline_devices));
  view.efficiency = percent_text(speedup.efficiency);
  add_bars(model, baseline, speedup, view);
  view.time_cut = percent1_text(speedup.time_cut);
  if (speedup.accuracy) {
    view.accuracy = accuracy_text(speedup.accuracy->run.accuracy());
    view.accuracy_delta = points_text(speedup.accuracy->delta());
    view.delta_hint = "both at epoch " + count_text(speedup.accuracy->run.epoch + 1);
  }
  add_brief(speedup, view);
  add_note(speedup, view);
  add_ceiling(context, speedup, view);
  add_published(model, context, baseline, speedup, view);
  add_fairness(model, *baseline.model, view);
  return view;
}

}  // namespace ringside::view
