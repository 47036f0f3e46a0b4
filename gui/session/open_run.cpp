#include "gui/session/open_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "gui/view/carry_out.h"
#include "gui/view/chart/chart_svg.h"
#include "gui/view/live/event_strip.h"

namespace ringside::session {
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
                     std::function<void()> wake, Jobs& jobs)
    : listed_(run),
      wake_(wake),
      replay_speed_(replay_speed),
      model_(std::move(spec)),
      feed_(std::make_unique<Feed>(run.folder, Feed::Options{replay_speed, 0, true},
                                   std::move(wake))),
      search_(run.folder, jobs) {
  choice_.axis = view::XAxis::kEpoch;
  choice_.logarithmic = true;
  context_.id = run.folder.id();
  context_.number = run.number;
  context_.contact = view::Contact::kLive;
  context_.replay_speed = replay_speed;
  context_.replaying = replay_speed > 0;
}

void OpenedRun::set_baseline(const runs::ListedRun& run, messages::RunSpec spec) {
  auto model = std::make_unique<model::RunModel>(std::move(spec));
  auto feed = std::make_unique<Feed>(run.folder, Feed::Options{0, 0, false}, wake_);
  if (baseline_) {
    baseline_->feed->retire();
    retired_.push_back(std::move(baseline_->feed));
  }
  baseline_ = Baseline{run, std::move(model), std::move(feed)};
  ++number_revision_;
}

void OpenedRun::set_offers(BaselineOffers offers) {
  if (offers.runs == context_.baselines && offers.baseline_of == context_.baseline_of) return;
  context_.baselines = std::move(offers.runs);
  context_.baseline_of = std::move(offers.baseline_of);
  ++number_revision_;
}

view::Contact OpenedRun::contact_of(const FeedState& state) const {
  if (replay_speed_ > 0) {
    if (!feed_->replay_over()) return view::Contact::kReplay;
    const bool cut = !ended_in_order(model_) && feed_->waiting() == 0 &&
                     state.presence != runs::AgentPresence::kAlive;
    return cut ? view::Contact::kInterrupted : view::Contact::kEnded;
  }
  if (ended_in_order(model_)) return view::Contact::kEnded;
  if (state.progress.connected) {
    return state.progress.silent_ns > kLostAfterNs ? view::Contact::kLost : view::Contact::kLive;
  }
  // How it ended may stand in records that wait while the display is paused.
  if (state.presence == runs::AgentPresence::kAlive || !state.read_once || feed_->waiting() > 0)
    return view::Contact::kLive;
  return view::Contact::kInterrupted;
}

void OpenedRun::update_context() {
  const FeedState state = feed_->state();
  context_.contact = contact_of(state);
  const bool live =
      context_.contact == view::Contact::kLive || context_.contact == view::Contact::kLost;
  if (context_.contact == view::Contact::kReplay && feed_->replay_ns() != 0) {
    context_.now_ns = feed_->replay_ns();
  } else if (!context_.paused || !live) {
    // While the log is being read the clock is that of what was read: nobody is silent yet.
    const bool caught_up = state.read_once && !feed_->more();
    context_.now_ns = live && caught_up ? mono_now_ns() : model_.last_ns();
  }
  if (context_.replaying && state.replay_end_ns > state.replay_begin_ns) {
    const auto at = static_cast<double>(context_.now_ns - state.replay_begin_ns);
    const auto whole = static_cast<double>(state.replay_end_ns - state.replay_begin_ns);
    context_.replay_share = std::clamp(at / whole, 0.0, 1.0);
  }
  context_.waiting = context_.paused ? feed_->waiting() : 0;
  context_.log_bytes = state.progress.log.consumed_bytes;
  context_.log_skipped_bytes = state.progress.log.skipped_bytes;
  context_.log_lost_segments = state.progress.log.lost_segments;
  context_.log_problem = state.progress.log_problem;
  context_.unreadable = state.error;
  context_.ours = state.presence == runs::AgentPresence::kAlive;
  name_wait();
}

/// The agent names runs by id; a folder of runs is read when what it says has changed.
void OpenedRun::name_wait() {
  const auto& state = model_.run_state();
  const bool queued = state && state->state == messages::State::kQueued;
  const std::string wait = queued ? state->text : std::string();
  if (wait == wait_) return;
  wait_ = wait;
  context_.queued = runs::name_runs(wait, listed_.folder.path().parent_path());
  ++number_revision_;
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

/// While a live run is paused its records wait: in the feed as far as there is room, then in the
/// log.
bool OpenedRun::take_records() {
  std::erase_if(retired_, [](const auto& feed) { return feed->gone(); });
  if (context_.paused && !context_.replaying) return false;
  return feed_->drain(model_, kFrameBudgetNs);
}

bool OpenedRun::update() {
  bool changed = take_records();
  if (baseline_) changed = baseline_->feed->drain(*baseline_->model, kFrameBudgetNs) || changed;
  const view::Contact before = context_.contact;
  const bool ours_before = context_.ours;
  const std::string log_before = context_.log_problem;
  const std::string unreadable_before = context_.unreadable;
  const std::uint64_t numbers_before = number_revision_;
  update_context();
  update_numbers();
  if (context_.contact != before || context_.ours != ours_before ||
      context_.log_problem != log_before || context_.unreadable != unreadable_before)
    ++number_revision_;
  if (!context_.paused && feed_->texts(streams_, streams_revision_)) {
    texts_.clear();
    for (const RankStream& stream : streams_) {
      texts_.push_back(
          {stream.rank, stream.is_error_stream, stream.bytes, stream.begins_inside_line});
    }
    ++number_revision_;
  }
  look_for_alerts();
  return changed || number_revision_ != numbers_before;
}

void OpenedRun::look_for_alerts() {
  if (alerts_revision_ == number_revision_) return;
  alerts_revision_ = number_revision_;
  auto fresh = book_.take(view::alerts_of(model_, context_), context_.now_ns);
  context_.dismissed = book_.dismissed_keys();
  // At the end they are those of a run that goes on no more, but news all the same.
  if (watched_) std::move(fresh.begin(), fresh.end(), std::back_inserter(fresh_));
  const bool live = context_.contact == view::Contact::kLive;
  watched_ = watched_ || (live && loaded());
  if (live) end_told_ = false;
}

void OpenedRun::dismiss_alerts() {
  book_.dismiss();
  context_.dismissed = book_.dismissed_keys();
  ++number_revision_;
}

void OpenedRun::set_rules_off(const analysis::RuleSet& off) {
  if (context_.rules_off == off) return;
  context_.rules_off = off;
  ++number_revision_;
}

std::vector<analysis::Alert> OpenedRun::take_fresh_alerts() { return std::exchange(fresh_, {}); }

bool OpenedRun::take_end() {
  // A final state is in the log; that nobody writes any more may be seen before its last records.
  const bool surely = context_.contact == view::Contact::kEnded || !feed_->more();
  if (context_.replaying || !watched_ || end_told_ || !over() || !surely) return false;
  end_told_ = true;
  return true;
}

double OpenedRun::next_update_s() const {
  const bool held = context_.paused && !context_.replaying;
  if ((!held && feed_->more()) || (baseline_ && baseline_->feed->more())) return 0;
  if (numbers_waiting_) {
    return std::max(0.0, static_cast<double>(numbers_ns_ + kNumbersEveryNs - mono_now_ns()) * 1e-9);
  }
  if (context_.paused) return 1.0;
  if (context_.contact == view::Contact::kReplay) return 1.0 / 30;
  return over() ? kNever : 1.0;
}

bool OpenedRun::loaded() const {
  return feed_->state().read_once && !feed_->more() && !numbers_waiting_;
}

void OpenedRun::fill(view::LiveInput& input) const {
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
  input.can_read_earlier = feed_->has_earlier();
  input.search = &search_.shown();
  input.chart_revision = model_.revision() + (generation_ << 40U);
  input.number_revision = number_revision_ + search_.revision();
}

void OpenedRun::next_event() {
  const auto alerts = view::alerts_of(model_, context_);
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
  choice_.window = {std::max(0.0, step - 100), step + 100};
  choice_.cursor_step = step;
}

std::string OpenedRun::chart_drawing(const std::string& chart) const {
  constexpr int kWidth = 1200;
  constexpr int kHeight = 480;
  view::LiveInput input;
  fill(input);
  const std::string heading =
      view::run_label(context_.number, context_.id) + " " + view::run_title(model_);
  view::ChartChoice choice = choice_;
  choice.cursor_step = -1;
  const auto drawn = [&] {
    if (chart == "accuracy")
      return view::build_accuracy_chart(model_, context_, input.baseline, choice, kWidth, kHeight);
    if (chart == "step_time")
      return view::build_step_time_chart(model_, context_, choice, kWidth, kHeight);
    return view::build_loss_chart(model_, context_, input.baseline, choice, kWidth, kHeight);
  };
  return view::chart_svg(drawn(), heading, kWidth, kHeight);
}

void OpenedRun::pause(bool on) {
  context_.paused = on;
  feed_->hold(on);
  ++number_revision_;
}

/// Forward the clock is moved; backward the run is read anew up to that time.
void OpenedRun::seek(double share) {
  const FeedState state = feed_->state();
  if (!context_.replaying || state.replay_end_ns <= state.replay_begin_ns) return;
  const auto whole = static_cast<double>(state.replay_end_ns - state.replay_begin_ns);
  const std::int64_t wanted =
      state.replay_begin_ns + static_cast<std::int64_t>(whole * std::clamp(share, 0.0, 1.0));
  if (!feed_->replay_over() && wanted >= feed_->replay_ns()) {
    feed_->skip_to(wanted);
    return;
  }
  feed_->retire();
  retired_.push_back(std::move(feed_));
  model_ = model::RunModel(messages::RunSpec(model_.spec()));
  ++generation_;
  ++number_revision_;
  feed_ = std::make_unique<Feed>(listed_.folder, Feed::Options{context_.replay_speed, wanted, true},
                                 wake_);
  feed_->hold(context_.paused);
}

void OpenedRun::apply(const view::PlaybackCommand& command) {
  view::carry_out(
      command, [this](const view::Pause& wanted) { pause(wanted.on); },
      [this](const view::SetReplaySpeed& wanted) {
        context_.replay_speed = std::clamp(wanted.speed, 0.1, 1000.0);
        feed_->set_replay_speed(context_.replay_speed);
        ++number_revision_;
      },
      [this](const view::SeekReplay& wanted) { seek(wanted.share); },
      [this](const view::DismissAlerts&) { dismiss_alerts(); },
      [this](const view::SearchLogs& wanted) { search_.begin(wanted.text); },
      [this](const view::EarlierLines&) { feed_->read_earlier(); });
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
  const auto ranks = model_.ranks();
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
      [this](const view::JumpTo& wanted) { show_around(wanted.step); },
      [this](const view::NextEvent&) { next_event(); },
      [this](const view::MoveCursor& wanted) { choice_.cursor_step = wanted.step; },
      [this](const view::ToggleRank& wanted) { toggle(wanted.rank); },
      [this](const view::ShowOnlyRank& wanted) { show_only(wanted.rank); },
      [this](const view::ShowAllRanks&) { choice_.hidden.clear(); },
      [this](const view::ToggleBaseline&) { choice_.baseline = !choice_.baseline; });
}

}  // namespace ringside::session
