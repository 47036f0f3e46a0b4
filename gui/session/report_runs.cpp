#include "gui/session/report_runs.h"

#include <algorithm>
#include <utility>

#include "gui/analysis/findings/fairness.h"
#include "gui/runs/probe_file.h"

namespace ringside::session {
namespace {

/// A run of the report before it is read.
struct Named {
  runs::ListedRun listed;
  std::ptrdiff_t baseline = -1;  ///< index in the list; -1: none
  bool asked = false;
};

/// Adds a folder unless it is already in the list; returns its index.
std::ptrdiff_t add(std::vector<Named>& all, const runs::ListedRun& listed, bool asked) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].listed.folder.path() != listed.folder.path()) continue;
    all[i].asked = all[i].asked || asked;
    return static_cast<std::ptrdiff_t>(i);
  }
  all.push_back({listed, -1, asked});
  return static_cast<std::ptrdiff_t>(all.size()) - 1;
}

Result<std::vector<Named>> name_all(const std::filesystem::path& runs_dir,
                                    const std::vector<std::string>& names) {
  std::vector<Named> all;
  for (const auto& name : names) {
    const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, name));
    const auto spec = runs::read_spec(found.folder);
    std::ptrdiff_t baseline = -1;
    if (const auto beside = spec ? runs::baseline_folder(found.folder, *spec) : std::nullopt) {
      const auto listed = runs::find_run(runs_dir, beside->path().string());
      if (listed) baseline = add(all, *listed, names.size() == 1);
    }
    const std::ptrdiff_t place = add(all, found, true);
    all[static_cast<std::size_t>(place)].baseline = baseline;
  }
  return all;
}

/// Combines the progress of logs that are read one after the other.
class WholeWatch {
 public:
  WholeWatch(const std::vector<Named>& all, const runlog::ReadWatch& watch) : watch_(watch) {
    for (const Named& one : all) {
      total_bytes_ += one.listed.folder.log_bytes();
    }
  }

  /// Progress of the next log. Bytes that are appended to a log meanwhile are not counted.
  runlog::ReadWatch part() {
    before_bytes_ = done_bytes_;
    return [this](std::uint64_t done, std::uint64_t) {
      done_bytes_ = std::min(before_bytes_ + done, total_bytes_);
      given_up_ = given_up_ || (watch_ && !watch_(done_bytes_, total_bytes_));
      return !given_up_;
    };
  }
  bool given_up() const { return given_up_; }

 private:
  const runlog::ReadWatch& watch_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t before_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
  bool given_up_ = false;
};

}  // namespace

std::unique_ptr<const launch::SavedProgram> program_of(const runlog::RunFolder& folder) {
  auto kept = launch::saved_program(folder);
  return kept ? std::make_unique<const launch::SavedProgram>(std::move(*kept)) : nullptr;
}

view::ComparedRun compared_run(const runs::RunSummary& summary, const model::RunModel& model,
                               const launch::SavedProgram* program) {
  view::RunContext context;
  context.id = summary.folder.id();
  context.number = summary.number;
  context.notes = runs::chart_notes_of(summary.labels);
  view::set_state(context, summary.state, model);
  return {&model, context, summary.spec_read, program, summary.name, summary.labels.note};
}

view::ReportRun report_run(const runs::RunSummary& summary, const runs::ReadRun& read) {
  view::ReportRun run;
  run.id = summary.folder.id();
  run.label = runs::label_of(summary);
  run.name = summary.name;
  run.state = summary.state.word;
  run.notes = runs::chart_notes_of(summary.labels);
  run.model = read.model.get();
  run.seconds = summary.figures.seconds;
  run.damage = read.damage;
  run.probe = runs::probe_of_run(summary.folder, *read.model);
  return run;
}

Result<ReportRuns> ReportRuns::read(const std::filesystem::path& runs_dir,
                                    const std::vector<std::string>& names,
                                    const runlog::ReadWatch& watch) {
  const auto named = RINGSIDE_TRY(name_all(runs_dir, names));
  WholeWatch whole(named, watch);
  ReportRuns result;
  for (const Named& one : named) {
    auto summary = runs::read_folder(one.listed);
    auto read = runs::read_run(one.listed.folder, summary.spec, whole.part());
    auto figures = runs::figures_of(*read.model, read.identity, nullptr);
    figures.problem = read.problem;
    runs::add_figures(summary, std::move(figures));
    if (whole.given_up()) return failure("reading the runs was cancelled");
    result.all_.push_back({std::move(summary), std::move(read),
                           launch::preset_of_run(one.listed.folder.path()), one.baseline, one.asked,
                           program_of(one.listed.folder)});
  }
  if (names.size() < 2) return result;
  // A run without a baseline is compared with the first requested run if that did the same work on
  // another number of devices.
  std::ptrdiff_t first = 0;
  while (!result.all_[static_cast<std::size_t>(first)].asked) ++first;
  for (std::ptrdiff_t i = first + 1; i < static_cast<std::ptrdiff_t>(result.all_.size()); ++i) {
    auto& one = result.all_[static_cast<std::size_t>(i)];
    const model::RunModel& other = *result.all_[static_cast<std::size_t>(first)].read.model;
    if (one.baseline < 0 && analysis::may_scale(*one.read.model, other)) one.baseline = first;
  }
  return result;
}

std::vector<view::ComparedRun> ReportRuns::compared() const {
  std::vector<view::ComparedRun> runs;
  for (const One& one : all_)
    if (one.asked) runs.push_back(compared_run(one.summary, *one.read.model, one.program.get()));
  return runs;
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
      run.baseline_label = runs::label_of(baseline.summary);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace ringside::session
