#include "gui/session/listed_runs.h"

#include <memory>
#include <set>
#include <string>

#include "gui/runs/run_figures.h"
#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

view::RunSummary listed_run(const runs::RunSummary& run) {
  view::RunSummary view;
  view.id = run.folder.id();
  view.number = run.number;
  view.title = printable_line(run.name);
  view.folder = run.folder.path().string();
  view.state = run.state.word;
  view.detail = run.state.detail;
  view.live = run.state.live;
  view.outcome = view::outcome_of(run.state.word);
  view.ranks = run.ranks;
  view.gpus = run.spec_read && run.spec.devices.kind == "cuda";
  view.global_batch = run.global_batch;
  if (run.spec_read) view.model = run.foreign ? run.recipe : run.spec.model.name;
  if (run.spec_read && !run.foreign) view.data = run.spec.data.name;
  if (run.foreign) view.script = messages::program_name(run.spec.program.argv);
  view.recipe = run.recipe;
  view.figures = run.figures;
  view.loss_broke = view.outcome == view::RunOutcome::kFailed || runs::ended_in_nan(run.figures);
  if (!run.state.detail.empty() && view.outcome != view::RunOutcome::kFinished)
    view.tags.push_back(run.state.detail);
  if (!run.problem.empty()) view.tags.push_back(run.problem);
  view.baseline = run.baseline;
  view.problem = run.problem;
  if (run.spec_read) view.spec = std::make_shared<const messages::RunSpec>(run.spec);
  view.read = run.read;
  show_labels(run.labels, view);
  return view;
}

}  // namespace

void show_labels(const runs::RunLabels& labels, view::RunSummary& run) {
  for (const std::string& tag : run.own_tags) std::erase(run.tags, tag);
  run.name = labels.name;
  run.note = labels.note;
  run.own_tags = labels.tags;
  run.starred = labels.starred;
  run.tags.insert(run.tags.end(), labels.tags.begin(), labels.tags.end());
}

std::vector<view::RunSummary> listed_runs(std::span<const runs::RunSummary> runs) {
  std::set<std::string> baselines;
  for (const runs::RunSummary& run : runs) baselines.insert(run.baseline);
  std::vector<view::RunSummary> views;
  views.reserve(runs.size());
  for (const runs::RunSummary& run : runs) {
    views.push_back(listed_run(run));
    views.back().is_baseline = baselines.contains(views.back().id);
  }
  return views;
}

}  // namespace ringside::session
