// One run that is followed, whether it goes on, has ended or is replayed: the feed, the model it
// fills, how it stands to its agent, and its alerts; what the window and the command line both know
// of an open run. Main thread; the feed brings its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/analysis/alerts/alert_tracker.h"
#include "gui/model/run_model.h"
#include "gui/runs/find_run.h"
#include "gui/session/alerts/alert_caller.h"
#include "gui/session/run/clock_there.h"
#include "gui/session/run/feed.h"
#include "gui/view/live/log_view.h"
#include "gui/view/run_context.h"

namespace ringside::session {

class LiveRun {
 public:
  /// `wake` is called from another thread when update() has something to do.
  LiveRun(const runs::ListedRun& run, messages::RunSpec spec, const Feed::Options& options,
          std::function<void()> wake);

  /// Takes what arrived, within the time of a frame. True when something that is shown has changed.
  /// `beside`: the revision of a model that is shown with this one.
  bool update(std::uint64_t beside = 0);
  /// Seconds until update() is worth calling again without a wake-up.
  double next_update_s() const;

  const runs::ListedRun& listed() const { return listed_; }
  const model::RunModel& model() const { return model_; }
  const view::RunContext& context() const { return context_; }
  /// Moves with every record.
  std::uint64_t chart_revision() const { return model_.revision() + (generation_ << 40U); }
  /// Moves at most four times a second while records come, so that numbers can be read.
  std::uint64_t number_revision() const { return number_revision_; }
  /// What the ranks wrote; unchanged while it is paused.
  std::span<const view::RankText> texts() const { return texts_; }
  bool has_earlier_texts() const { return feed_->has_earlier(); }
  void read_earlier_texts() { feed_->read_earlier(); }

  bool over() const;
  /// True once for each end, also of one that came before it was opened.
  bool take_over() { return std::exchange(came_to_end_, false); }
  /// Everything that was there when it was opened has been read.
  bool loaded() const;
  /// All there is was taken, and nobody writes more or it cannot be read.
  bool read_to_end() const { return read_to_end_; }

  /// Sets the other machine that the run's agent is on, "ssh://box", and where it can be asked.
  void set_machine(const std::string& name) { context_.machine = name; }
  /// Sets since when that machine cannot be reached, wall clock; 0: it can.
  void set_cut_since(std::int64_t wall_ns) {
    if (std::exchange(context_.cut_wall_ns, wall_ns) != wall_ns) ++number_revision_;
  }
  void pause(bool on);
  void set_replay_speed(double speed);
  /// Moves a replay to this share of its time.
  void seek(double share);

  /// Alerts that nobody wants to see.
  void set_rules_off(const analysis::RuleSet& off);
  void dismiss_alerts();
  /// Watches a run that was started here: everything is news. For one that was resumed that holds
  /// from attempt `since_attempt` on: alerts of earlier attempts are not news.
  void watch_from_start(std::int32_t since_attempt = 0) {
    watched_ = true;
    news_since_ = since_attempt;
  }
  /// News for notifications: alerts that came up while the run was watched (not those from before),
  /// and its end, once.
  std::vector<AlertFacts> take_news();

 private:
  runs::Seen seen_in(const FeedState& state) const;
  void set_contact(const FeedState& state, const runs::ShownState& shown);
  void update_context();
  void update_numbers(std::uint64_t beside);
  void name_wait(const runs::ShownState& shown);
  void take_texts();
  void look_for_alerts();

  runs::ListedRun listed_;
  std::function<void()> wake_;
  Feed::Options options_;
  model::RunModel model_;
  std::unique_ptr<Feed> feed_;
  RetiredFeeds retired_;
  std::uint64_t generation_ = 0;  ///< models so far: revisions begin anew with each
  ClockThere clock_there_;
  view::RunContext context_;
  std::vector<RankStream> streams_;
  std::vector<view::RankText> texts_;  ///< views of `streams_`
  std::uint64_t texts_revision_ = 0;
  std::uint64_t number_revision_ = 1;
  std::int64_t numbers_ns_ = 0;      ///< when the numbers were last let through
  std::uint64_t numbers_model_ = 0;  ///< revisions that they show
  std::uint64_t numbers_beside_ = 0;
  std::int64_t paused_ns_ = 0;       ///< when it was paused or went on last
  std::int64_t numbers_second_ = 0;  ///< second of the clock they show
  bool numbers_waiting_ = false;
  std::string wait_;  ///< as the agent said it, with ids
  analysis::AlertTracker book_;
  std::vector<AlertFacts> news_;
  std::int32_t news_since_ = 0;        ///< attempt
  std::uint64_t alerts_revision_ = 0;  ///< numbers they were looked for at
  bool watched_ = false;               ///< it was read to its end while it was going on
  bool end_told_ = false;
  bool came_to_end_ = false;
  bool read_to_end_ = false;
};

}  // namespace ringside::session
