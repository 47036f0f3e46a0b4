#include "gui/session/run/feed.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "gui/model/node_clocks.h"
#include "gui/place/run_place.h"
#include "protocol/messages/run_state.h"
#include "protocol/runlog/run_reader.h"

namespace ringside::session {
namespace {

constexpr std::size_t kMostWaiting = 32768;  // records between the two threads
constexpr std::uint64_t kPollBytes = 1U << 20U;
constexpr std::int64_t kPollWaitNs = 100'000'000;
constexpr std::int64_t kJustNowNs = 500'000'000;
constexpr std::int64_t kTextsEveryNs = 500'000'000;
constexpr std::int64_t kPlaceEveryNs = 1'000'000'000;
constexpr auto kLookAgain = std::chrono::seconds(2);  // an ended run may be resumed
constexpr std::int64_t kLongestPauseNs =
    3'600'000'000'000;  // a gap in a replay beyond this is skipped

// Empty as long as the folder exists. Open files stay readable, so only this check detects removal.
std::string gone_words(const runlog::RunFolder& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder.path(), error) || error) return {};
  return "its folder " + folder.path().string() + " is gone; showing what was read before.";
}

}  // namespace

class Feed::Collector final : public messages::RecordSink {
 public:
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    clocks_.note(stamp, record);
    entries.push_back({clocks_.on_node_0(stamp), stamp, record});
  }
  std::vector<Entry> entries;

 private:
  model::NodeClocks clocks_;
};

Feed::Feed(const runlog::RunFolder& folder, const Options& options, std::function<void()> wake)
    : folder_(folder),
      options_(options),
      replay_(options.replay_speed > 0),
      wake_(std::move(wake)),
      thread_([this] { receive(); }) {}

Feed::~Feed() {
  retire();
  thread_.join();
}

void Feed::retire() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

bool Feed::push(std::vector<Entry>& batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closing_ || queue_.size() < kMostWaiting; });
  for (Entry& entry : batch) queue_.push_back(std::move(entry));
  batch.clear();
  return !closing_;
}

void Feed::receive() {
  if (replay_) look_through();
  follow();
  gone_ = true;
}

/// Reads the whole log for its first and last time, which seeking in a replay needs.
void Feed::look_through() {
  class Span final : public messages::RecordSink {
   public:
    void accept(const messages::Stamp& stamp, const messages::Record& record) override {
      clocks.note(stamp, record);
      const std::int64_t at_ns = clocks.on_node_0(stamp);
      const auto* state = std::get_if<messages::RankState>(&record);
      const bool of_run = messages::is_of_run(stamp, state);
      const bool queued = of_run && state->state == messages::State::kQueued;
      // The run begins after it has waited in the queue.
      if (begin_ns == 0 || (in_queue && of_run && !queued)) begin_ns = at_ns;
      if (of_run) in_queue = queued && (in_queue || !any_state);
      any_state = any_state || of_run;
      end_ns = std::max(end_ns, at_ns);
    }
    model::NodeClocks clocks;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    bool in_queue = false;
    bool any_state = false;
  };
  Span span;
  (void)runlog::read_run(folder_, span);  // follow() reports problems of the log
  const std::lock_guard lock(mutex_);
  state_.replay_begin_ns = span.begin_ns;
  state_.replay_end_ns = span.end_ns;
}

/// Asks the place only now and then; at the end an unresponsive one is not waited for.
std::optional<launch::PlaceReport> Feed::look_at_place() {
  if (!place::place_report(folder_)) return std::nullopt;
  place::refresh(folder_.path().parent_path(), [this] {
    const std::lock_guard lock(mutex_);
    return closing_;
  });
  return place::place_report(folder_);
}

void Feed::follow() {
  runs::RunSource source(folder_);
  Collector collector;
  StreamTails tails(folder_);
  std::int64_t texts_ns = 0;
  std::int64_t asked_ns = 0;
  std::optional<launch::PlaceReport> report;
  for (bool ended_before = false;;) {
    const auto progress = source.poll(collector, kPollBytes, ended_before ? 0 : kPollWaitNs);
    const bool records = !collector.entries.empty();
    // While a run writes without a pause, a recent newest record shows that all earlier ones were
    // read. This needs the clock of this machine; for a run on another machine the file's end is
    // used.
    const bool newest = records && progress && progress->own_clock &&
                        mono_now_ns() - collector.entries.back().at_ns < kJustNowNs;
    if (!push(collector.entries)) return;
    const runs::AgentPresence presence = runs::agent_presence(folder_);
    const std::string gone = gone_words(folder_);
    const std::int64_t now = mono_now_ns();
    const bool earlier = take_request();
    if (earlier) tails.read_earlier();
    const bool look = options_.texts && (earlier || now - texts_ns >= kTextsEveryNs);
    if (look) texts_ns = now;
    const bool texts_changed = look && tails.read();
    if (!replay_ && (asked_ns == 0 || now - asked_ns >= kPlaceEveryNs)) {
      asked_ns = now;
      report = look_at_place();
    }
    std::unique_lock lock(mutex_);
    const FeedState before = state_;
    if (progress) state_.progress = *progress;
    state_.presence = presence;
    state_.logged = source.logged();
    state_.error = progress ? gone : progress.error().message;
    state_.read_once = state_.read_once || !records || newest;
    state_.ended = !progress || progress->ended;
    state_.report = report;
    if (texts_changed) {
      texts_ = tails.streams();
      has_earlier_ = tails.has_earlier();
      ++texts_revision_;
    }
    const bool changed = records || texts_changed || before.report != report ||
                         before.presence != presence || before.logged != state_.logged ||
                         before.error != state_.error || before.read_once != state_.read_once ||
                         before.progress.connected != state_.progress.connected ||
                         before.progress.log_problem != state_.progress.log_problem ||
                         before.ended != state_.ended;
    lock.unlock();
    if (changed) wake_();
    lock.lock();
    if (state_.ended && ended_before && !records)
      changed_.wait_for(lock, kLookAgain, [this] { return closing_ || wants_earlier_; });
    ended_before = state_.ended;
    if (closing_) return;
  }
}

bool Feed::due(const Entry& entry) const {
  if (!replay_ || first_ns_ == 0) return true;
  const std::int64_t at = entry.at_ns;
  if (at < newest_ns_ || at > newest_ns_ + kLongestPauseNs) return true;
  return at <= replay_ns();
}

void Feed::start_clock(std::int64_t at_ns) {
  first_ns_ = at_ns;
  started_ns_ = mono_now_ns();
  if (held_ns_ != 0) held_ns_ = at_ns;
}

void Feed::hold(bool on) {
  if (!replay_ || on == (held_ns_ != 0)) return;
  const std::int64_t now = replay_ns();
  held_ns_ = on ? std::max<std::int64_t>(now, 1) : 0;
  if (!on && now != 0) start_clock(now);
}

void Feed::set_replay_speed(double speed) {
  const std::int64_t now = replay_ns();
  options_.replay_speed = speed;
  if (now != 0) start_clock(now);
}

void Feed::skip_to(std::int64_t stamp_ns) {
  if (first_ns_ == 0) {
    options_.replay_from_ns = stamp_ns;
  } else {
    start_clock(stamp_ns);
  }
}

std::size_t Feed::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Feed::pace(const Entry& entry) {
  const std::int64_t at = entry.at_ns;
  const bool jumped = at > newest_ns_ + kLongestPauseNs || at + kLongestPauseNs < newest_ns_;
  if (first_ns_ == 0) {
    start_clock(std::max({at, options_.replay_from_ns, state_.replay_begin_ns}));
    newest_ns_ = at;
  } else if (jumped) {
    start_clock(at > newest_ns_ ? std::max(at, state_.replay_begin_ns) : at);
    newest_ns_ = at;
  }
  newest_ns_ = std::max(newest_ns_, at);
}

bool Feed::drain(messages::RecordSink& sink, std::int64_t budget_ns) {
  const std::int64_t deadline = mono_now_ns() + budget_ns;
  bool any = false;
  std::deque<Entry> taken;
  do {
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < 512 && !queue_.empty() && due(queue_.front()); ++i) {
        if (replay_) pace(queue_.front());
        taken.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
    }
    changed_.notify_all();
    if (taken.empty()) return any;
    for (const Entry& entry : taken) sink.accept(entry.stamp, entry.record);
    taken.clear();
    any = true;
  } while (mono_now_ns() < deadline);
  return any;
}

bool Feed::more() const {
  const std::lock_guard lock(mutex_);
  return !queue_.empty() && due(queue_.front());
}

FeedState Feed::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::int64_t Feed::replay_ns() const {
  if (!replay_ || first_ns_ == 0) return 0;
  if (held_ns_ != 0) return held_ns_;
  const double passed = static_cast<double>(mono_now_ns() - started_ns_) * options_.replay_speed;
  return first_ns_ + static_cast<std::int64_t>(passed);
}

bool Feed::replay_over() const {
  const std::lock_guard lock(mutex_);
  return replay_ && first_ns_ != 0 && queue_.empty() && state_.read_once;
}

void Feed::read_earlier() {
  {
    const std::lock_guard lock(mutex_);
    wants_earlier_ = true;
  }
  changed_.notify_all();
}

bool Feed::take_request() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wants_earlier_, false);
}

bool Feed::has_earlier() const {
  const std::lock_guard lock(mutex_);
  return has_earlier_;
}

bool Feed::texts(std::vector<RankStream>& into, std::uint64_t& revision) const {
  const std::lock_guard lock(mutex_);
  if (revision == texts_revision_) return false;
  into = texts_;
  revision = texts_revision_;
  return true;
}

}  // namespace ringside::session
