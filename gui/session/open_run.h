// The run that is open in the window, with its baseline: models, the feeds that fill them, and what
// the person chose about the charts. Main thread; the feeds bring their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/analysis/alert_tracker.h"
#include "gui/model/run_model.h"
#include "gui/runs/find_run.h"
#include "gui/session/baseline_offers.h"
#include "gui/session/feed.h"
#include "gui/session/log_searcher.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class OpenedRun {
 public:
  /// `replay_speed` 0: everything at once, and what comes.
  OpenedRun(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed,
            std::function<void()> wake, Jobs& jobs);

  /// Compares with this run from now on.
  void set_baseline(const runs::ListedRun& run, messages::RunSpec spec);
  /// What it can be compared with, as the list of runs has it.
  void set_offers(BaselineOffers offers);

  /// Takes what arrived, within the time of a frame. True when something that is shown has changed.
  bool update();
  /// Seconds until update() is worth calling again without a wake-up.
  double next_update_s() const;

  void fill(view::LiveInput& input) const;
  void apply(const view::PlaybackCommand& command);
  void apply(const view::ChartCommand& command);

  /// A chart of this run as SVG: "loss", "accuracy" or "step_time", as it is chosen on the screen.
  std::string chart_drawing(const std::string& chart) const;

  const model::RunModel& model() const { return model_; }
  const runs::ListedRun& listed() const { return listed_; }
  const view::RunContext& context() const { return context_; }
  bool over() const {
    return context_.contact == view::Contact::kEnded ||
           context_.contact == view::Contact::kInterrupted;
  }
  /// Everything that was there when it was opened has been read.
  bool loaded() const;
  /// Alerts that nobody wants to see.
  void set_rules_off(const analysis::RuleSet& off);
  /// Alerts that came up while the run was watched; what was there before is no news.
  std::vector<analysis::Alert> take_fresh_alerts();
  /// Of a run that was started here: everything is news.
  void watch_from_start() { watched_ = true; }
  /// True once, when the run has ended while it was watched.
  bool take_end();

 private:
  struct Baseline {
    runs::ListedRun listed;
    std::unique_ptr<model::RunModel> model;
    std::unique_ptr<Feed> feed;
  };

  void update_context();
  view::Contact contact_of(const FeedState& state) const;
  void update_numbers();
  void name_wait();
  bool take_records();
  void look_for_alerts();
  void dismiss_alerts();
  void next_event();
  void show_around(double step);
  void pause(bool on);
  void seek(double share);
  void toggle(Rank rank);
  void show_only(Rank rank);

  runs::ListedRun listed_;
  std::function<void()> wake_;
  double replay_speed_;
  model::RunModel model_;
  std::unique_ptr<Feed> feed_;
  std::vector<std::unique_ptr<Feed>> retired_;  ///< replaced by others, until their threads end
  std::uint64_t generation_ = 0;                ///< models so far: revisions begin anew with each
  std::optional<Baseline> baseline_;
  view::RunContext context_;
  view::ChartChoice choice_;
  std::vector<RankStream> streams_;
  std::vector<view::RankText> texts_;
  LogSearcher search_;
  std::uint64_t streams_revision_ = 0;
  std::uint64_t number_revision_ = 1;
  std::int64_t numbers_ns_ = 0;      ///< when the numbers were last let through
  std::uint64_t numbers_model_ = 0;  ///< model revision they show
  std::uint64_t numbers_baseline_ = 0;
  std::int64_t numbers_second_ = 0;  ///< second of the clock they show
  bool numbers_waiting_ = false;
  Step shown_event_ = -1;
  std::string wait_;  ///< as the agent said it, with ids
  analysis::AlertTracker book_;
  std::vector<analysis::Alert> fresh_;
  std::uint64_t alerts_revision_ = 0;  ///< numbers they were looked for at
  bool watched_ = false;               ///< it was read to its end while it was going on
  bool end_told_ = false;
};

}  // namespace ringside::session
