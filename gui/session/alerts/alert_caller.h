// Sends alerts out of the window: a desktop notification, and a program of the person's own
// with the facts in its environment. Programs are started as argument lists, never through a shell,
// one after the other on a thread of this object, each with a time limit. One owner; post() and
// take_problems() from its thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gui/session/alerts/alert_settings.h"
#include "gui/view/run_context.h"

namespace ringside::session {

/// One alert to send. The names are those of the environment, in capitals and after RINGSIDE_.
struct AlertFacts {
  std::string alert;     ///< analysis::name_of, "run_finished" or the like
  std::string severity;  ///< info, warning, error
  std::string text;      ///< one sentence
  std::string run;       ///< id
  std::string run_name;
  std::string run_folder;
  std::string rank;       ///< empty: none
  std::string step;       ///< from 0 as in the CSV; empty: none
  std::int64_t also = 0;  ///< further alerts of that kind at the same time, mostly of other ranks
};

/// Selects which new alerts to send: one of each kind, and one of each code for notices. How the
/// run failed is sent with its end, instead of the ranks that failed as a consequence.
std::vector<AlertFacts> facts_of(std::span<const analysis::Alert> fresh,
                                 const model::RunModel& model, const view::RunContext& context,
                                 const std::string& run_folder);
/// Facts of how a run ended: run_finished, run_failed, run_stopped or run_interrupted.
AlertFacts end_facts(const model::RunModel& model, const view::RunContext& context,
                     const std::string& run_folder);
/// The text with the number of further alerts, as one line of printable characters.
std::string sentence_of(const AlertFacts& facts);
/// A sample alert for the test button.
AlertFacts trial_facts();

/// Environment entries such as "RINGSIDE_ALERT=...", one per fact.
std::vector<std::string> environment_of(const AlertFacts& facts);

/// The command that shows a desktop notification: notify-send with its arguments.
std::vector<std::string> notification(const AlertFacts& facts);

class AlertCaller {
 public:
  static constexpr std::size_t kMostWaiting = 64;

  /// `wake` is called from the thread if there is a problem to show.
  explicit AlertCaller(std::function<void()> wake);
  /// Ends the running program and discards what is queued.
  ~AlertCaller();
  AlertCaller(const AlertCaller&) = delete;
  AlertCaller& operator=(const AlertCaller&) = delete;

  void post(const AlertSettings& settings, std::vector<AlertFacts> facts);
  /// Waits until everything was sent; each program's time limit bounds it.
  void finish();
  /// Problems so far; the same text is returned only once.
  std::vector<std::string> take_problems();

 private:
  struct Call {
    AlertSettings settings;
    AlertFacts facts;
  };
  void work();
  void notify(const Call& call);
  void run(const std::vector<std::string>& argv, const Call& call, const char* what);
  void note(const std::string& problem);

  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call> waiting_;
  bool busy_ = false;
  std::atomic<bool> closing_{false};
  std::set<std::string> told_problems_;
  std::vector<std::string> problems_;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace ringside::session
