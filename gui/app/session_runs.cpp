#include "gui/app/session_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/app/run_figures.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"

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

/// Labels as a person wrote them, whether they are in the file already or not.
void show_labels(const runs::RunLabels& labels, view::RunSummary& view) {
  for (const std::string& tag : view.own_tags) std::erase(view.tags, tag);
  view.name = labels.name;
  view.note = labels.note;
  view.own_tags = labels.tags;
  view.tags.insert(view.tags.end(), labels.tags.begin(), labels.tags.end());
}

view::RunSummary shown(const runs::RunSummary& run, const std::vector<float>& loss) {
  view::RunSummary view;
  view.id = run.folder.id();
  view.number = run.number;
  view.title = printable_line(run.name);
  view.outcome = outcome_of(run.state);
  view.ranks = run.ranks;
  view.gpus = run.spec.devices.kind == "cuda";
  view.global_batch = run.global_batch;
  view.model = run.foreign ? run.recipe : run.spec.model.name;
  view.data = run.foreign ? "" : run.spec.data.name;
  view.loss = loss;
  view.loss_broke = view.outcome == view::RunOutcome::kFailed;
  view.best_accuracy = known(run.figures.best_val_accuracy);
  view.seconds = known(run.figures.seconds);
  view.speedup = known(run.figures.speedup);
  if (!run.state.detail.empty() && view.outcome != view::RunOutcome::kFinished)
    view.tags.push_back(run.state.detail);
  if (!run.problem.empty()) view.tags.push_back(run.problem);
  view.started_wall_ns = run.figures.started_wall_ns;
  view.folder = run.folder.path().string();
  show_labels(run.labels, view);
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
    const std::int64_t begun_ns = mono_now_ns();
    auto found = scanner->catalogue.scan();
    std::vector<view::RunSummary> views;
    if (found) {
      for (const runs::RunSummary& run : *found)
        views.push_back(shown(run, scanner->sparks[run.folder.id()]));
    }
    const std::int64_t took_ns = mono_now_ns() - begun_ns;
    return [this, took_ns, found = std::move(found), views = std::move(views)] {
      scan_took_ns_ = took_ns;
      problem_ = found ? std::string() : found.error().message;
      if (!found) return;
      runs_ = *found;
      shown_ = views;
      // A scan that began before the labels were written must not show the old ones.
      const auto typed = std::exchange(unwritten_, {});
      for (const auto& [id, labels] : typed)
        edit_labels({id, labels.name, runs::tags_text(labels.tags), labels.note});
      ++revision_;
    };
  });
}

const runs::RunSummary* RunsDesk::find(const std::string& id) const {
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&id](const runs::RunSummary& run) {
    return run.folder.id() == id;
  });
  return found == runs_.end() ? nullptr : &*found;
}

/// The selected run may have been deleted.
void RunsDesk::select_first() {
  const bool there = std::any_of(shown_.begin(), shown_.end(), [this](const view::RunSummary& run) {
    return run.id == choice_.selected;
  });
  if (!there) choice_.selected = shown_.empty() ? std::string() : shown_.front().id;
}

bool RunsDesk::update() {
  write_labels();
  if (updated_ == revision_) return false;
  updated_ = revision_;
  ++marks_revision_;
  select_first();
  return true;
}

void RunsDesk::edit_labels(const view::EditLabels& edit) {
  const runs::RunLabels labels{edit.name, runs::tags_of(edit.tags), edit.note};
  unwritten_[edit.id] = labels;
  for (view::RunSummary& run : shown_) {
    if (run.id != edit.id) continue;
    show_labels(labels, run);
    const runs::RunSummary* known = find(run.id);
    run.title = !labels.name.empty() || known == nullptr ? labels.name
                                                         : messages::display_name(known->spec);
  }
  ++revision_;
}

/// One write at a time for each run; what is typed meanwhile is written next.
void RunsDesk::write_labels() {
  for (auto it = unwritten_.begin(); it != unwritten_.end();) {
    const runs::RunSummary* run = find(it->first);
    if (run == nullptr) {
      it = unwritten_.erase(it);
      continue;
    }
    const bool begun = jobs_.start(
        "labels " + it->first,
        [this, folder = run->folder, id = it->first, labels = it->second]() -> Jobs::Completion {
          const auto written = runs::write_labels(folder, labels);
          return [this, id, labels, written] {
            if (!written) problem_ = written.error().message;
            const auto now = unwritten_.find(id);
            if (now != unwritten_.end() && now->second == labels) unwritten_.erase(now);
          };
        });
    if (!begun) return;
    ++it;
  }
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
  } else if (const auto* mark = std::get_if<view::MarkRun>(&command)) {
    if (mark->on && choice_.marked.size() < view::kMostCompared) choice_.marked.insert(mark->id);
    if (!mark->on) choice_.marked.erase(mark->id);
    ++marks_revision_;
  } else if (std::holds_alternative<view::ClearMarks>(command)) {
    choice_.marked.clear();
    ++marks_revision_;
  } else if (const auto* axis = std::get_if<view::SetCompareAxis>(&command)) {
    choice_.axis = axis->axis;
  } else if (const auto* edit = std::get_if<view::EditLabels>(&command)) {
    edit_labels(*edit);
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
