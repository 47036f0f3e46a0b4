// One open run, whether active, ended or replayed: the feed, the model it fills, the contact to its
// agent, and its alerts. Used by the window and the command line. Main thread; the feed has a
// thread of its own.
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
#include "gui/session/run/feed.h"
#include "gui/session/run/remote_clock.h"
#include "gui/view/live/log_view.h"
#include "gui/view/run_context.h"

namespace ringside::session {

class LiveRun {
 public:
  /// `wake` is called from another thread if update() has something to do.
  LiveRun(const runs::ListedRun& run, messages::RunSpec spec, const Feed::Options& options,
          std::function<void()> wake);

  /// Takes new records within the time budget of a frame. True if something on the screen has
  /// changed. `beside`: the revision of a model that is shown with this one.
  bool update(std::uint64_t beside = 0);
  /// Seconds until update() has to be called again without a wake-up.
  double next_update_s() const;

  const runs::ListedRun& listed() const { return listed_; }
  const model::RunModel& model() const { return model_; }
  const view::RunContext& context() const { return context_; }
  /// Changes with every record.
  std::uint64_t chart_revision() const { return model_.revision() + (generation_ << 40U); }
  /// Changes at most four times a second while records arrive, so that numbers can be read.
  std::uint64_t number_revision() const { return number_revision_; }
  /// Output of the ranks; unchanged while the display is paused.
  std::span<const view::RankText> texts() const { return texts_; }
  bool has_earlier_texts() const { return feed_->has_earlier(); }
  void read_earlier_texts() { feed_->read_earlier(); }

  bool over() const;
  /// True once for each end, also if the run had ended before it was opened.
  bool take_over() { return std::exchange(came_to_end_, false); }
  /// Whether all records that existed when the run was opened have been read.
  bool loaded() const;
  /// Whether all records were taken and no more will come, or the log cannot be read.
  bool read_to_end() const { return read_to_end_; }

  /// Sets the other machine that the run's agent is on, "ssh://box", and where it can be asked.
  void set_machine(const std::string& name) { context_.machine = name; }
  /// Sets since when that machine cannot be reached, wall clock; 0: it can.
  void set_cut_since(std::int64_t wall_ns) {
    if (std::exchange(context_.cut_wall_ns, wall_ns) != wall_ns) ++number_revision_;
  }
  void pause(bool on);
  void set_replay_speed(double speed);
  /// Moves a replay to this share of its duration, 0 .. 1.
  void seek(double share);

  void set_rules_off(const analysis::RuleSet& off);
  void dismiss_alerts();
  /// Reports all alerts of a run that was started here as new. For a resumed run this holds from
  /// attempt `since_attempt` on.
  void watch_from_start(std::int32_t since_attempt = 0) {
    watched_ = true;
    news_since_ = since_attempt;
  }
  /// New facts for notifications: alerts that appeared while the run was watched, and its end,
  /// once.
  std::vector<AlertFacts> take_alerts();

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
  std::uint64_t generation_ = 0;  ///< number of models so far, since revisions restart with each
  RemoteClock clock_there_;
  view::RunContext context_;
  std::vector<RankStream> streams_;
  std::vector<view::RankText> texts_;  ///< views of `streams_`
  std::uint64_t texts_revision_ = 0;
  std::uint64_t number_revision_ = 1;
  std::int64_t numbers_ns_ = 0;      ///< when the numbers were last updated
  std::uint64_t numbers_model_ = 0;  ///< model revision of the shown numbers
  std::uint64_t numbers_beside_ = 0;
  std::int64_t paused_ns_ = 0;       ///< when it was last paused or continued
  std::int64_t numbers_second_ = 0;  ///< clock second of the shown numbers
  bool numbers_waiting_ = false;
  std::string wait_;  ///< as reported by the agent, with ids
  analysis::AlertTracker book_;
  std::vector<AlertFacts> new_alerts_;
  std::int32_t news_since_ = 0;        ///< first attempt whose alerts are new
  std::uint64_t alerts_revision_ = 0;  ///< number revision at the last search for alerts
  bool watched_ = false;               ///< it was read to its end while active
  bool end_told_ = false;
  bool came_to_end_ = false;
  bool read_to_end_ = false;
};

}  // namespace ringside::session
