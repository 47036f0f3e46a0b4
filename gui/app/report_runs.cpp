#include "gui/app/report_runs.h"

namespace ringside::app {

view::ReportRun report_run(const runs::RunSummary& summary, const ReadRun& read) {
  view::ReportRun run;
  run.id = summary.folder.id();
  run.label = label_of(summary);
  run.name = summary.name;
  run.state = summary.state.word;
  run.model = read.model.get();
  run.seconds = summary.figures.seconds;
  return run;
}

std::ptrdiff_t ReportRuns::add(runs::Catalogue& catalogue, const runs::ListedRun& listed,
                               bool asked) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].summary.folder.path() != listed.folder.path()) continue;
    all_[i].asked = all_[i].asked || asked;
    return static_cast<std::ptrdiff_t>(i);
  }
  One one{catalogue.summary(listed), {}, launch::preset_of_run(listed.folder.path()), -1, asked};
  one.read = read_run(listed.folder, one.summary.spec, watch_);
  all_.push_back(std::move(one));
  return static_cast<std::ptrdiff_t>(all_.size()) - 1;
}

Result<ReportRuns> ReportRuns::read(const std::filesystem::path& runs_dir,
                                    const std::vector<std::string>& names,
                                    const runlog::ReadWatch& watch) {
  ReportRuns result;
  result.watch_ = watch;
  runs::Catalogue catalogue(runs_dir, read_figures);
  for (const auto& name : names) {
    const auto found = runs::find_run(runs_dir, name);
    if (!found) return pass(found);
    const auto spec = runs::read_spec(found->folder);
    std::ptrdiff_t baseline = -1;
    if (const auto beside = spec ? baseline_folder(found->folder, *spec) : std::nullopt) {
      const auto listed = runs::find_run(runs_dir, beside->path().string());
      if (listed) baseline = result.add(catalogue, *listed, names.size() == 1);
    }
    const std::ptrdiff_t place = result.add(catalogue, *found, true);
    if (watch && !watch(1, 1)) return failure("the reading of the runs was given up");
    result.all_[static_cast<std::size_t>(place)].baseline = baseline;
  }
  if (names.size() < 2) return result;
  // Without a baseline of its own a run is compared with the first that was asked for.
  std::ptrdiff_t first = 0;
  while (!result.all_[static_cast<std::size_t>(first)].asked) ++first;
  for (std::ptrdiff_t i = first + 1; i < static_cast<std::ptrdiff_t>(result.all_.size()); ++i) {
    auto& one = result.all_[static_cast<std::size_t>(i)];
    if (one.baseline < 0) one.baseline = first;
  }
  return result;
}

std::vector<view::ReportRun> ReportRuns::runs() const {
  std::vector<view::ReportRun> runs;
  for (const One& one : all_) {
    if (!one.asked) continue;
    auto run = report_run(one.summary, one.read);
    run.preset = one.preset ? &*one.preset : nullptr;
    if (one.baseline >= 0) {
      const One& baseline = all_[static_cast<std::size_t>(one.baseline)];
      run.baseline = baseline.read.model.get();
      run.baseline_label = label_of(baseline.summary);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace ringside::app
