#include "gui/session/run/live_run.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/runs/missing_logs.h"
#include "gui/view/live/event_strip.h"
#include "protocol/runlog/program_files.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kFrameBudgetNs = 8'000'000;
constexpr std::int64_t kNumbersEveryNs = 250'000'000;  // slow enough for the numbers to be read
constexpr double kNeverRead = 3600;

/// Start of that attempt in the time of the model; the latest time if it has not begun.
std::int64_t began_ns(const model::RunModel& model, std::int32_t attempt) {
  if (attempt <= 0) return std::numeric_limits<std::int64_t>::min();
  const auto states = model.run_states();
  const auto said = std::ranges::find_if(
      states, [attempt](const auto& change) { return change.state.attempt >= attempt; });
  if (said != states.end()) return said->at_ns;
  const auto attempts = model.attempts();
  const auto begun =
      std::ranges::find_if(attempts, [attempt](const auto& one) { return one.attempt >= attempt; });
  return begun != attempts.end() ? begun->at_ns : std::numeric_limits<std::int64_t>::max();
}

/// State that is shown as soon as it changes.
auto urgent(const view::RunContext& context, bool read_to_end) {
  return std::tuple(context.contact, context.ours, context.here, context.log_problem,
                    context.unreadable, context.missing_logs, read_to_end);
}

}  // namespace

LiveRun::LiveRun(const runs::ListedRun& run, messages::RunSpec spec, const Feed::Options& options,
                 std::function<void()> wake)
    : listed_(run),
      wake_(std::move(wake)),
      options_(options),
      model_(std::move(spec)),
      feed_(std::make_unique<Feed>(run.folder, options, wake_)) {
  model_.set_program_parts(runlog::noted_program_files(run.folder).parts);
  context_.id = run.folder.id();
  context_.number = run.number;
  context_.contact = view::Contact::kLive;
  context_.replay_speed = options.replay_speed;
  context_.replaying = options.replay_speed > 0;
}

runs::Seen LiveRun::seen_in(const FeedState& state) const {
  using runs::AgentPresence;
  runs::Seen seen{model_.run_state(), state.presence};
  if (state.progress.connected) seen.presence = AgentPresence::kAlive;
  const bool may_live =
      seen.presence == AgentPresence::kAlive || seen.presence == AgentPresence::kElsewhere;
  seen.unheard = runs::is_unheard(state.progress) ||
                 (may_live && state.read_once && context_.cut_wall_ns != 0);
  // Records that wait while the display is paused may contain how the run ended.
  if (!state.read_once || feed_->waiting() > 0) {
    if (!may_live) seen.presence = AgentPresence::kAlive;
  } else if (!state.report || !launch::is_over(state.report->phase) ||
             seen.presence != AgentPresence::kElsewhere || seen.unheard) {
    // On a network file system the last records may arrive after the place has reported the end.
    seen.report = state.report;
  }
  return seen;
}

void LiveRun::set_contact(const FeedState& state, const runs::ShownState& shown) {
  using view::Contact;
  if (!context_.replaying) {
    view::set_state(context_, shown, model_);
    return;
  }
  const bool cut = !model::has_ended(model_) && feed_->waiting() == 0 &&
                   state.presence != runs::AgentPresence::kAlive;
  context_.contact = !feed_->replay_over() ? Contact::kReplay
                     : cut                 ? Contact::kInterrupted
                                           : Contact::kEnded;
}

void LiveRun::update_context() {
  const FeedState state = feed_->state();
  const std::int64_t here_ns = mono_now_ns();
  const std::int64_t there_ns = clock_there_.now_ns(model_.last_ns(), here_ns);
  const runs::ShownState shown = runs::shown_state(seen_in(state));
  set_contact(state, shown);
  context_.by_file = !state.progress.on_socket;
  read_to_end_ = state.ended && feed_->waiting() == 0;
  const bool live =
      context_.contact == view::Contact::kLive || context_.contact == view::Contact::kLost;
  if (context_.contact == view::Contact::kReplay && feed_->replay_ns() != 0) {
    context_.now_ns = feed_->replay_ns();
  } else if (!context_.paused || !live) {
    // While the log is being read, the clock is that of the records, so that no rank counts as
    // silent.
    const bool caught_up = state.read_once && !feed_->more();
    const std::int64_t now_ns = state.progress.own_clock ? model_.on_scale(0, here_ns) : there_ns;
    context_.now_ns = live && caught_up ? now_ns : model_.last_ns();
  }
  // Rounded to a quarter of an hour, since midnight is on a multiple of it in every time zone.
  constexpr std::int64_t kQuarterNs = std::int64_t{900} * 1'000'000'000;
  context_.today_wall_ns = SystemClock().wall_ns() / kQuarterNs * kQuarterNs;
  context_.behind_ns = context_.held() ? here_ns - paused_ns_ : 0;
  if (context_.replaying && state.replay_end_ns > state.replay_begin_ns) {
    const auto at = static_cast<double>(context_.now_ns - state.replay_begin_ns);
    const auto whole = static_cast<double>(state.replay_end_ns - state.replay_begin_ns);
    context_.replay_share = std::clamp(at / whole, 0.0, 1.0);
  }
  context_.waiting = context_.paused ? feed_->waiting() : 0;
  context_.log_bytes = state.progress.log.consumed_bytes;
  context_.log_skipped_bytes = state.progress.log.skipped_bytes;
  context_.log_first_skipped = state.progress.log.first_skipped;
  // If the agent never started there is no log; a missing folder is reported as such.
  const bool begun = state.read_once && !model_.ranks().empty() && !state.logged.empty();
  context_.missing_logs =
      begun ? runs::nodes_without(model_.spec(), state.logged) : std::vector<Node>();
  context_.log_problem = state.progress.log_problem;
  context_.unreadable = state.error;
  context_.here = state.presence == runs::AgentPresence::kAlive;
  // A run that is managed by its place can be stopped through it from any machine.
  context_.ours = context_.here || state.report.has_value() ||
                  (!context_.machine.empty() && state.presence == runs::AgentPresence::kElsewhere);
  name_wait(shown);
}

/// Sets what the run waits for. The agent names runs by id, so the folder of runs is read for their
/// names if its text has changed.
void LiveRun::name_wait(const runs::ShownState& shown) {
  const auto& state = model_.run_state();
  const bool queued = state && state->state == messages::State::kQueued;
  std::string wait = queued ? state->text : std::string();
  if (shown.word == messages::name_of(messages::State::kQueued)) wait = shown.detail;
  if (wait == wait_) return;
  wait_ = wait;
  context_.queued = runs::name_runs(wait, listed_.folder.path().parent_path());
  ++number_revision_;
}

void LiveRun::update_numbers(std::uint64_t beside) {
  const std::int64_t second = (context_.now_ns + context_.behind_ns) / 1'000'000'000;
  if (model_.revision() == numbers_model_ && beside == numbers_beside_ && second == numbers_second_)
    return;
  const std::int64_t now = mono_now_ns();
  numbers_waiting_ = now - numbers_ns_ < kNumbersEveryNs;
  if (numbers_waiting_) return;
  numbers_ns_ = now;
  numbers_model_ = model_.revision();
  numbers_beside_ = beside;
  numbers_second_ = second;
  ++number_revision_;
}

void LiveRun::take_texts() {
  if (context_.paused || !feed_->texts(streams_, texts_revision_)) return;
  texts_.clear();
  for (const RankStream& stream : streams_) texts_.push_back(stream.text());
  ++number_revision_;
}

bool LiveRun::update(std::uint64_t beside) {
  retired_.sweep();
  // While a live run is paused, its records wait in the feed, and when that is full in the log.
  const bool held = context_.paused && !context_.replaying;
  const bool taken = !held && feed_->drain(model_, kFrameBudgetNs);
  const std::uint64_t numbers_before = number_revision_;
  const auto before = urgent(context_, read_to_end_);
  const bool over_before = over();
  update_context();
  update_numbers(beside);
  if (urgent(context_, read_to_end_) != before) ++number_revision_;
  take_texts();
  if (over() != over_before) came_to_end_ = over();
  look_for_alerts();
  return taken || number_revision_ != numbers_before;
}

void LiveRun::look_for_alerts() {
  if (alerts_revision_ == number_revision_) return;
  alerts_revision_ = number_revision_;
  auto fresh = book_.take(view::alerts_of(model_, context_), context_.now_ns);
  const std::int64_t since_ns = began_ns(model_, news_since_);
  std::erase_if(fresh, [since_ns](const auto& alert) { return alert.at_ns < since_ns; });
  context_.dismissed = book_.dismissed_keys();
  // Alerts after the end of a run are no longer active, but still new.
  if (watched_ && !fresh.empty()) {
    auto facts = facts_of(fresh, model_, context_, listed_.folder.path().string());
    std::move(facts.begin(), facts.end(), std::back_inserter(new_alerts_));
  }
  const bool live = context_.contact == view::Contact::kLive;
  watched_ = watched_ || (live && loaded());
  if (live) end_told_ = false;
}

std::vector<AlertFacts> LiveRun::take_alerts() {
  std::vector<AlertFacts> alerts = std::exchange(new_alerts_, {});
  // The log of a resumed run also contains the end of an earlier attempt.
  if (watched_ && !context_.replaying && !end_told_ && over() && read_to_end_) {
    end_told_ = true;
    alerts.push_back(end_facts(model_, context_, listed_.folder.path().string()));
  }
  return alerts;
}

void LiveRun::dismiss_alerts() {
  book_.dismiss();
  context_.dismissed = book_.dismissed_keys();
  ++number_revision_;
}

void LiveRun::set_rules_off(const analysis::RuleSet& off) {
  if (context_.rules_off == off) return;
  context_.rules_off = off;
  ++number_revision_;
}

bool LiveRun::over() const {
  return context_.contact == view::Contact::kEnded ||
         context_.contact == view::Contact::kInterrupted;
}

double LiveRun::next_update_s() const {
  const bool held = context_.paused && !context_.replaying;
  if (!held && feed_->more()) return 0;
  if (numbers_waiting_) {
    return std::max(0.0, static_cast<double>(numbers_ns_ + kNumbersEveryNs - mono_now_ns()) * 1e-9);
  }
  if (context_.paused) return 1.0;
  if (context_.contact == view::Contact::kReplay) return 1.0 / 30;
  return over() ? kNeverRead : 1.0;
}

bool LiveRun::loaded() const {
  return feed_->state().read_once && !feed_->more() && !numbers_waiting_;
}

void LiveRun::pause(bool on) {
  context_.paused = on;
  paused_ns_ = mono_now_ns();
  feed_->hold(on);
  ++number_revision_;
}

void LiveRun::set_replay_speed(double speed) {
  context_.replay_speed = std::clamp(speed, 0.1, 1000.0);
  feed_->set_replay_speed(context_.replay_speed);
  ++number_revision_;
}

/// Moves the clock forward; to go backward, the run is read again up to that time.
void LiveRun::seek(double share) {
  const FeedState state = feed_->state();
  if (!context_.replaying || state.replay_end_ns <= state.replay_begin_ns) return;
  const auto whole = static_cast<double>(state.replay_end_ns - state.replay_begin_ns);
  const std::int64_t wanted =
      state.replay_begin_ns + static_cast<std::int64_t>(whole * std::clamp(share, 0.0, 1.0));
  if (!feed_->replay_over() && wanted >= feed_->replay_ns()) {
    feed_->skip_to(wanted);
    return;
  }
  retired_.take(std::move(feed_));
  model_ = model::RunModel(messages::RunSpec(model_.spec()));
  model_.set_program_parts(runlog::noted_program_files(listed_.folder).parts);
  ++generation_;
  ++number_revision_;
  options_.replay_speed = context_.replay_speed;
  options_.replay_from_ns = wanted;
  feed_ = std::make_unique<Feed>(listed_.folder, options_, wake_);
  feed_->hold(context_.paused);
}

}  // namespace ringside::session
