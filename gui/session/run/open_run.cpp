#include "gui/session/run/open_run.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "gui/runs/probe_file.h"
#include "gui/view/carry_out.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/metrics_view.h"
#include "protocol/runlog/program_files.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kBaselineBudgetNs = 8'000'000;  // of a frame

std::shared_ptr<const launch::NamedPreset> preset_of(const runlog::RunFolder& folder) {
  auto preset = launch::preset_of_run(folder.path());
  return preset ? std::make_shared<const launch::NamedPreset>(std::move(*preset)) : nullptr;
}

}  // namespace

OpenedRun::OpenedRun(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed,
                     const view::ChartChoice& charts, std::function<void()> wake, Jobs& jobs)
    : wake_(wake),
      preset_(preset_of(run.folder)),
      live_(run, std::move(spec), {replay_speed, 0, true}, std::move(wake)),
      choice_(charts),
      search_(run.folder, jobs) {}

bool OpenedRun::has_baseline() const {
  std::error_code ignored;
  return baseline_ && std::filesystem::exists(baseline_->listed.folder.spec_path(), ignored);
}

void OpenedRun::name_baseline(RunId id) {
  if (!baseline_ && id == named_baseline_) return;
  if (baseline_) retired_.take(std::move(baseline_->feed));
  baseline_.reset();
  named_baseline_ = std::move(id);
  ++revision_;
}

void OpenedRun::set_baseline(const runs::ListedRun& run, messages::RunSpec spec) {
  if (baseline_) retired_.take(std::move(baseline_->feed));
  baseline_ = Baseline{run, std::make_unique<model::RunModel>(std::move(spec)),
                       std::make_unique<Feed>(run.folder, Feed::Options{0, 0, false}, wake_)};
  baseline_->model->set_program_parts(runlog::noted_program_files(run.folder).parts);
  ++revision_;
}

void OpenedRun::set_offers(BaselineOffers offers) {
  if (offers == offers_) return;
  offers_ = std::move(offers);
  ++revision_;
}

bool OpenedRun::update() {
  retired_.sweep();
  const bool compared = baseline_ && baseline_->feed->drain(*baseline_->model, kBaselineBudgetNs);
  const bool changed = live_.update(baseline_ ? baseline_->model->revision() : 0) || compared;
  if (changed && !asked_probe_ && analysis::probed_devices(live_.model())) {
    asked_probe_ = true;
    probe_ = runs::probe_of_run(folder(), live_.model());
    ++revision_;
  }
  return changed;
}

double OpenedRun::next_update_s() const {
  return baseline_ && baseline_->feed->more() ? 0 : live_.next_update_s();
}

void OpenedRun::fill(view::LiveInput& input) const {
  input.model = &live_.model();
  input.context = live_.context();
  input.context.baselines = offers_.runs;
  input.context.baseline_of = offers_.baseline_of;
  input.context.preset = preset_;
  input.context.probe = probe_;
  if (baseline_) {
    input.baseline = {baseline_->model.get(), baseline_->listed.folder.id(),
                      baseline_->listed.number};
    input.baseline_revision = baseline_->model->revision();
  } else if (!named_baseline_.empty()) {
    input.baseline = {nullptr, named_baseline_, 0};
  }
  input.choice = choice_;
  input.texts = live_.texts();
  input.can_read_earlier = live_.has_earlier_texts();
  input.search = &search_.shown();
  input.chart_revision = live_.chart_revision();
  input.number_revision = live_.number_revision() + revision_ + search_.revision();
}

void OpenedRun::next_event() {
  const auto alerts = view::alerts_of(live_.model(), live_.context());
  std::vector<Step> steps;
  for (const analysis::Alert& alert : alerts) {
    if (alert.step >= 0) steps.push_back(alert.step);
  }
  if (steps.empty()) return;
  std::sort(steps.begin(), steps.end());
  const auto next = std::upper_bound(steps.begin(), steps.end(), shown_event_);
  shown_event_ = next == steps.end() ? steps.front() : *next;
  show_around(static_cast<double>(shown_event_));
}

void OpenedRun::show_around(double step) {
  view::ChartChoice whole = choice_;
  whole.window = {};
  const model::Window run = view::shown_window(live_.model(), whole);
  choice_.window = {std::max(0.0, step - 100), std::min(step + 100, std::max(run.end, step + 4))};
  choice_.cursor_step = step;
}

view::ChartView OpenedRun::chart(const std::string& name, int columns, int height) const {
  view::LiveInput input;
  fill(input);
  const model::RunModel& model = live_.model();
  view::ChartChoice choice = choice_;
  choice.cursor_step = -1;
  if (name.starts_with(view::kMetricChart)) {
    const auto* scalar = model.scalars().find(name.substr(view::kMetricChart.size()));
    return scalar == nullptr ? view::ChartView()
                             : view::build_metric_chart(model, *scalar, choice, columns, height);
  }
  if (name == "accuracy")
    return view::build_accuracy_chart(model, input.context, input.baseline, choice, columns,
                                      height);
  if (name == "step_time")
    return view::build_step_time_chart(model, input.context, choice, columns, height);
  return view::build_loss_chart(model, input.context, input.baseline, choice, columns, height);
}

std::string OpenedRun::heading() const {
  const view::RunContext context = live_.context();
  return view::run_label(context.number, context.id) + " " + view::run_title(live_.model());
}

void OpenedRun::apply(const view::PlaybackCommand& command) {
  view::carry_out(
      command, [this](const view::Pause& wanted) { live_.pause(wanted.on); },
      [this](const view::SetReplaySpeed& wanted) { live_.set_replay_speed(wanted.speed); },
      [this](const view::SeekReplay& wanted) { live_.seek(wanted.share); },
      [this](const view::DismissAlerts&) { live_.dismiss_alerts(); },
      [this](const view::SearchLogs& wanted) { search_.begin(wanted.text); },
      [this](const view::EarlierLines&) { live_.read_earlier_texts(); });
}

void OpenedRun::toggle(Rank rank) {
  const auto at = std::lower_bound(choice_.hidden.begin(), choice_.hidden.end(), rank);
  if (at != choice_.hidden.end() && *at == rank) {
    choice_.hidden.erase(at);
  } else {
    choice_.hidden.insert(at, rank);
  }
}

void OpenedRun::show_only(Rank rank) {
  const auto ranks = live_.model().ranks();
  choice_.hidden.assign(ranks.begin(), ranks.end());
  std::erase(choice_.hidden, rank);
}

void OpenedRun::apply(const view::ChartCommand& command) {
  view::carry_out(
      command, [this](const view::SetXAxis& wanted) { choice_.axis = wanted.axis; },
      [this](const view::SetLogScale& wanted) { choice_.logarithmic = wanted.on; },
      [this](const view::SetSmoothing& wanted) {
        choice_.smoothing = std::clamp(wanted.steps, 0, 100'000);
      },
      [this](const view::SetStepTimeWhole& wanted) { choice_.whole_step = wanted.whole; },
      [this](const view::SetWindow& wanted) {
        choice_.window = {wanted.begin, wanted.end};
      },
      [this](const view::WholeRun&) { choice_.window = {}; },
      [this](const view::SetPlan& wanted) { choice_.plan = wanted.on; },
      [this](const view::JumpTo& wanted) { show_around(wanted.step); },
      [this](const view::NextEvent&) { next_event(); },
      [this](const view::MoveCursor& wanted) { choice_.cursor_step = wanted.step; },
      [this](const view::ToggleRank& wanted) { toggle(wanted.rank); },
      [this](const view::ShowOnlyRank& wanted) { show_only(wanted.rank); },
      [this](const view::ShowAllRanks&) { choice_.hidden.clear(); },
      [this](const view::ToggleBaseline&) { choice_.baseline = !choice_.baseline; });
}

}  // namespace ringside::session
