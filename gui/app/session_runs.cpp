#include "gui/app/session_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/app/run_figures.h"
#include "protocol/base/clock.h"

namespace ringside::app {
namespace {

constexpr std::size_t kSparkPoints = 48;

std::vector<float> spark_of(const model::Series& loss) {
  std::vector<float> points;
  const std::size_t size = loss.size();
  const std::size_t count = std::min(size, kSparkPoints);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * size / count;
    const auto mean = loss.sum(begin, std::max(begin + 1, (i + 1) * size / count));
    if (mean.count > 0) points.push_back(static_cast<float>(mean.mean()));
  }
  return points;
}

view::RunOutcome outcome_of(const runs::ShownState& state) {
  if (state.word == "interrupted") return view::RunOutcome::kInterrupted;
  for (int i = 0; i <= static_cast<int>(messages::State::kDidNotDie); ++i) {
    if (messages::name_of(static_cast<messages::State>(i)) == state.word)
      return static_cast<view::RunOutcome>(i);
  }
  return view::RunOutcome::kUnknown;
}

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional<double>(value);
}

view::RunSummary shown(const runs::RunSummary& run, const std::vector<float>& loss) {
  view::RunSummary view;
  view.id = run.folder.id();
  view.number = run.number;
  view.title = run.name;
  view.outcome = outcome_of(run.state);
  view.ranks = run.ranks;
  view.gpus = run.spec.devices.kind == "cuda";
  view.global_batch = run.global_batch;
  view.model = run.spec.model.name;
  view.data = run.spec.data.name;
  view.loss = loss;
  view.loss_broke = view.outcome == view::RunOutcome::kFailed;
  view.best_accuracy = known(run.figures.best_val_accuracy);
  view.seconds = known(run.figures.seconds);
  view.speedup = known(run.figures.speedup);
  if (!run.state.detail.empty() && view.outcome != view::RunOutcome::kFinished)
    view.tags.push_back(run.state.detail);
  if (!run.problem.empty()) view.tags.push_back(run.problem);
  view.started_wall_ns = run.figures.started_wall_ns;
  return view;
}

}  // namespace

// Touched by one scan at a time.
struct RunsDesk::Scanner {
  explicit Scanner(std::filesystem::path runs_dir)
      : catalogue(std::move(runs_dir),
                  [this](const runlog::RunFolder& folder, const messages::RunSpec& spec) {
                    return read(folder, spec);
                  }) {}

  runs::RunFigures read(const runlog::RunFolder& folder, const messages::RunSpec& spec) {
    const ReadRun run = read_run(folder, spec);
    sparks[folder.id()] = spark_of(run.model->mean_loss());
    std::optional<ReadRun> baseline;
    if (const auto other = baseline_folder(folder, spec)) {
      if (const auto other_spec = runs::read_spec(*other)) baseline = read_run(*other, *other_spec);
    }
    auto figures = figures_of(*run.model, run.identity, baseline ? baseline->model.get() : nullptr);
    figures.problem = run.problem;
    return figures;
  }

  std::map<std::string, std::vector<float>> sparks;
  runs::Catalogue catalogue;
};

RunsDesk::RunsDesk(std::filesystem::path runs_dir, Jobs& jobs)
    : jobs_(jobs), scanner_(std::make_shared<Scanner>(std::move(runs_dir))) {}
RunsDesk::~RunsDesk() = default;

void RunsDesk::scan() {
  jobs_.start("scan", [this, scanner = scanner_]() -> Jobs::Completion {
    auto found = scanner->catalogue.scan();
    std::vector<view::RunSummary> views;
    if (found) {
      for (const runs::RunSummary& run : *found)
        views.push_back(shown(run, scanner->sparks[run.folder.id()]));
    }
    return [this, found = std::move(found), views = std::move(views)] {
      problem_ = found ? std::string() : found.error().message;
      if (!found) return;
      runs_ = *found;
      shown_ = views;
      ++revision_;
    };
  });
}

bool RunsDesk::update() {
  if (updated_ == revision_) return false;
  updated_ = revision_;
  if (choice_.selected.empty() && !shown_.empty()) choice_.selected = shown_.front().id;
  return true;
}

bool RunsDesk::apply(const view::Command& command) {
  if (const auto* filter = std::get_if<view::SetRunFilter>(&command)) {
    choice_.filter = filter->text;
  } else if (const auto* sort = std::get_if<view::SortRuns>(&command)) {
    const auto column = static_cast<view::RunColumn>(sort->column);
    choice_.descending = column != choice_.sort || !choice_.descending;
    choice_.sort = column;
  } else if (const auto* select = std::get_if<view::SelectRun>(&command)) {
    choice_.selected = select->id;
  } else {
    return false;
  }
  return true;
}

std::optional<view::LastResult> RunsDesk::last_result() const {
  for (const view::RunSummary& run : shown_) {
    const bool over = run.outcome == view::RunOutcome::kFinished ||
                      run.outcome == view::RunOutcome::kFailed ||
                      run.outcome == view::RunOutcome::kStopped;
    if (!over) continue;
    view::LastResult last;
    last.number = view::run_label(run.number, run.id);
    last.title = run.title;
    last.state = view::outcome_view(run.outcome);
    last.seconds = run.seconds.value_or(0);
    last.speedup = run.speedup;
    return last;
  }
  return std::nullopt;
}

void RunsDesk::fill(ui::RunsInput& input) const {
  input.runs = shown_;
  input.choice = choice_;
  input.now_wall_ns = SystemClock().wall_ns();
  input.revision = revision_;
}

}  // namespace ringside::app
