#include "gui/app/session_open.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/analysis/alerts.h"

namespace ringside::app {
namespace {

constexpr std::int64_t kFrameBudgetNs = 8'000'000;
constexpr std::int64_t kNumbersEveryNs = 250'000'000;  // so that they can be read
constexpr std::int64_t kLostAfterNs = 6'000'000'000;   // three keep-alives
constexpr double kNever = 3600;

bool ended_in_order(const model::RunModel& model) {
  return model.run_state().has_value() && messages::is_final(model.run_state()->state);
}

}  // namespace

OpenedRun::OpenedRun(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed,
                     std::function<void()> wake)
    : listed_(run),
      wake_(wake),
      replay_speed_(replay_speed),
      model_(std::move(spec)),
      feed_(run.folder, {replay_speed, true}, std::move(wake)) {
  choice_.axis = view::XAxis::kEpoch;
  context_.id = run.folder.id();
  context_.number = run.number;
  context_.contact = view::Contact::kLive;
  context_.replay_speed = replay_speed;
}

void OpenedRun::set_baseline(const runs::ListedRun& run, messages::RunSpec spec) {
  auto model = std::make_unique<model::RunModel>(std::move(spec));
  auto feed = std::make_unique<Feed>(run.folder, Feed::Options{0, false}, wake_);
  baseline_ = Baseline{run, std::move(model), std::move(feed)};
}

view::Contact OpenedRun::contact_of(const FeedState& state) const {
  if (replay_speed_ > 0)
    return feed_.replay_over() ? view::Contact::kEnded : view::Contact::kReplay;
  if (ended_in_order(model_)) return view::Contact::kEnded;
  if (state.progress.connected) {
    return state.progress.silent_ns > kLostAfterNs ? view::Contact::kLost : view::Contact::kLive;
  }
  if (state.presence == runs::AgentPresence::kAlive || !state.read_once)
    return view::Contact::kLive;
  return view::Contact::kInterrupted;
}

void OpenedRun::update_context() {
  const FeedState state = feed_.state();
  context_.contact = contact_of(state);
  const bool live =
      context_.contact == view::Contact::kLive || context_.contact == view::Contact::kLost;
  if (context_.contact == view::Contact::kReplay && feed_.replay_ns() != 0) {
    context_.now_ns = feed_.replay_ns();
  } else {
    context_.now_ns = live ? mono_now_ns() : model_.last_ns();
  }
  context_.log_bytes = state.progress.log.consumed_bytes;
  context_.log_skipped_bytes = state.progress.log.skipped_bytes;
  context_.log_lost_segments = state.progress.log.lost_segments;
  context_.ours = state.presence == runs::AgentPresence::kAlive;
}

void OpenedRun::update_numbers() {
  const std::uint64_t baseline = baseline_ ? baseline_->model->revision() : 0;
  const std::int64_t second = context_.now_ns / 1'000'000'000;
  if (model_.revision() == numbers_model_ && baseline == numbers_baseline_ &&
      second == numbers_second_)
    return;
  const std::int64_t now = mono_now_ns();
  numbers_waiting_ = now - numbers_ns_ < kNumbersEveryNs;
  if (numbers_waiting_) return;
  numbers_ns_ = now;
  numbers_model_ = model_.revision();
  numbers_baseline_ = baseline;
  numbers_second_ = second;
  ++number_revision_;
}

bool OpenedRun::update() {
  bool changed = feed_.drain(model_, kFrameBudgetNs);
  if (baseline_) changed = baseline_->feed->drain(*baseline_->model, kFrameBudgetNs) || changed;
  const view::Contact before = context_.contact;
  const bool ours_before = context_.ours;
  const std::uint64_t numbers_before = number_revision_;
  update_context();
  update_numbers();
  if (context_.contact != before || context_.ours != ours_before) ++number_revision_;
  if (feed_.texts(streams_, streams_revision_)) {
    texts_.clear();
    for (const RankStream& stream : streams_) {
      texts_.push_back(
          {stream.rank, stream.is_error_stream, stream.bytes, stream.begins_inside_line});
    }
    ++number_revision_;
  }
  return changed || number_revision_ != numbers_before;
}

double OpenedRun::next_update_s() const {
  if (feed_.more() || (baseline_ && baseline_->feed->more())) return 0;
  if (numbers_waiting_) {
    return std::max(0.0, static_cast<double>(numbers_ns_ + kNumbersEveryNs - mono_now_ns()) * 1e-9);
  }
  if (context_.contact == view::Contact::kReplay) return 1.0 / 30;
  return over() ? kNever : 1.0;
}

bool OpenedRun::loaded() const {
  return feed_.state().read_once && !feed_.more() && !numbers_waiting_;
}

void OpenedRun::fill(ui::LiveInput& input) const {
  input.model = &model_;
  input.context = context_;
  if (baseline_) {
    input.baseline = {baseline_->model.get(), baseline_->listed.folder.id(),
                      baseline_->listed.number};
    input.baseline_revision = baseline_->model->revision();
  } else if (!model_.spec().baseline.run.empty()) {
    input.baseline = {nullptr, model_.spec().baseline.run, 0};
  }
  input.choice = choice_;
  input.texts = texts_;
  input.chart_revision = model_.revision();
  input.number_revision = number_revision_;
}

void OpenedRun::next_event() {
  const auto alerts = analysis::alerts(model_, context_.now_ns, {});
  std::vector<Step> steps;
  for (const analysis::Alert& alert : alerts) {
    if (alert.step >= 0) steps.push_back(alert.step);
  }
  if (steps.empty()) return;
  std::sort(steps.begin(), steps.end());
  const auto next = std::upper_bound(steps.begin(), steps.end(), shown_event_);
  shown_event_ = next == steps.end() ? steps.front() : *next;
  const double center = static_cast<double>(shown_event_);
  choice_.window = {std::max(0.0, center - 100), center + 100};
  choice_.cursor_step = center;
}

bool OpenedRun::apply(const view::Command& command) {
  const auto ranks = model_.ranks();
  const auto visit = [&](const auto& what) {
    using T = std::decay_t<decltype(what)>;
    if constexpr (std::is_same_v<T, view::SetXAxis>) {
      choice_.axis = what.axis;
    } else if constexpr (std::is_same_v<T, view::SetLogScale>) {
      choice_.logarithmic = what.on;
    } else if constexpr (std::is_same_v<T, view::SetStepTimeWhole>) {
      choice_.whole_step = what.whole;
    } else if constexpr (std::is_same_v<T, view::SetWindow>) {
      choice_.window = {what.begin, what.end};
    } else if constexpr (std::is_same_v<T, view::WholeRun>) {
      choice_.window = {};
    } else if constexpr (std::is_same_v<T, view::ToggleRank>) {
      const auto at = std::lower_bound(choice_.hidden.begin(), choice_.hidden.end(), what.rank);
      if (at != choice_.hidden.end() && *at == what.rank) {
        choice_.hidden.erase(at);
      } else {
        choice_.hidden.insert(at, what.rank);
      }
    } else if constexpr (std::is_same_v<T, view::ShowOnlyRank>) {
      choice_.hidden.assign(ranks.begin(), ranks.end());
      std::erase(choice_.hidden, what.rank);
    } else if constexpr (std::is_same_v<T, view::ShowAllRanks>) {
      choice_.hidden.clear();
    } else if constexpr (std::is_same_v<T, view::ToggleBaseline>) {
      choice_.baseline = !choice_.baseline;
    } else if constexpr (std::is_same_v<T, view::MoveCursor>) {
      choice_.cursor_step = what.step;
    } else if constexpr (std::is_same_v<T, view::NextEvent>) {
      next_event();
    } else {
      return false;
    }
    return true;
  };
  return std::visit(visit, command);
}

}  // namespace ringside::app
