// The run that is open in the window, with its baseline and what the person chose about the charts.
// Main thread; the feeds bring their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gui/launch/preset_file.h"
#include "gui/session/baseline_offers.h"
#include "gui/session/run/live_run.h"
#include "gui/session/run/log_searcher.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class OpenedRun {
 public:
  /// `replay_speed` 0: all records at once, and new ones as they arrive.
  OpenedRun(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed,
            const view::ChartChoice& charts, std::function<void()> wake, Jobs& jobs);

  LiveRun& live() { return live_; }
  const LiveRun& live() const { return live_; }
  const runlog::RunFolder& folder() const { return live_.listed().folder; }

  /// Whether there is a baseline that still exists.
  bool has_baseline() const;
  /// Names a baseline that does not exist yet or any more; empty: none.
  void name_baseline(RunId id);
  /// Uses this run as the baseline from now on.
  void set_baseline(const runs::ListedRun& run, messages::RunSpec spec);
  /// Sets the possible baselines, from the list of runs.
  void set_offers(BaselineOffers offers);

  /// Takes in new records, within the time of a frame. True if something shown has changed.
  bool update();
  /// Seconds until update() is worth calling again without a wake-up.
  double next_update_s() const;

  void fill(view::LiveInput& input) const;
  void apply(const view::PlaybackCommand& command);
  void apply(const view::ChartCommand& command);

  /// Returns a chart of this run ("loss", "accuracy", "step_time", or "metric." and a name) with
  /// the options chosen on the screen, without the cursor.
  view::ChartView chart(const std::string& name, int columns, int height) const;
  std::string heading() const;
  const view::ChartChoice& choice() const { return choice_; }

 private:
  struct Baseline {
    runs::ListedRun listed;
    std::unique_ptr<model::RunModel> model;
    std::unique_ptr<Feed> feed;
  };

  void next_event();
  void show_around(double step);
  void toggle(Rank rank);
  void show_only(Rank rank);

  std::function<void()> wake_;
  RunId named_baseline_;
  std::shared_ptr<const launch::NamedPreset> preset_;  ///< publication of its recipe
  bool asked_probe_ = false;  ///< asked when the ranks report their devices
  std::shared_ptr<const analysis::LinkProbe> probe_;
  LiveRun live_;
  std::optional<Baseline> baseline_;
  RetiredFeeds retired_;
  BaselineOffers offers_;
  std::uint64_t revision_ = 0;  ///< increases with baseline and offers
  view::ChartChoice choice_;
  LogSearcher search_;
  Step shown_event_ = -1;
};

}  // namespace ringside::session
