#include "gui/cli/command/watch.h"
#include "gui/cli/command/commands.h"
#include "gui/launch/paths.h"
#include "gui/launch/quick/time_left.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include "gui/analysis/progress.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/live_block.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/terminal.h"
#include "gui/place/run_place.h"
#include "gui/runs/stopped_agent.h"
#include "gui/session/run/live_run.h"
#include "gui/view/number_format.h"
#include "protocol/base/clock.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::cli {
namespace {

constexpr double kPollS = 0.1;
constexpr std::int64_t kDrawNs = 100'000'000;
constexpr Rank kShownRanks = 8;

bool runs_still(std::int32_t pid, std::uint64_t started_ticks) {
  const std::uint64_t ticks = wire::process_start_ticks(pid);
  return ticks != 0 && ticks == started_ticks;
}

// Lets another thread wake up the waiting main thread.
class WakeSignal {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_one();
  }
  void wait(double most_s) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(most_s), [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

class Watch {
 public:
  Watch(const launch::Started& started, const launch::Plan& plan, const Interrupts& interrupts,
        const std::string& on_alert, std::int32_t since_attempt,
        const std::vector<runlog::RunFolder>& behind)
      : started_(started),
        plan_(plan),
        interrupts_(interrupts),
        since_attempt_(since_attempt),
        behind_(behind),
        block_(stderr, is_terminal(stderr)),
        agent_ticks_(wire::process_start_ticks(started.agent_pid)),
        caller_({}) {
    if (!on_alert.empty()) alerts_.command = {on_alert};
    for (const auto& planned : plan.runs) times_.push_back({planned.expected_s, 0});
  }

  void run() {
    for (std::size_t i = 0; i < started_.folders.size(); ++i) follow(i);
    block_.clear();
    wait_for_agent();
    caller_.finish();
    tell_alert_problems();
  }

 private:
  void follow(std::size_t index) {
    session::LiveRun run({started_.folders[index], 0}, plan_.runs[index].spec, {0, 0, false},
                         [this] { bell_.ring(); });
    run.watch_from_start(since_attempt_);
    begun_ns_ = mono_now_ns();
    while (!interrupts_.leaving()) {
      pass_on_interrupts(index);
      run.update();
      tell_log_problem(run.context().log_problem);
      tell_contact(run.context().contact == view::Contact::kLost, started_.folders[index]);
      auto news = run.take_alerts();
      tell_errors(news);
      caller_.post(alerts_, std::move(news));
      tell_alert_problems();
      if (run.read_to_end()) {
        tell_end(index, run);
        tell_unreadable(run.context().unreadable);
        return;
      }
      tell_wait(run.context().queued);
      draw(index, run);
      bell_.wait(std::min(kPollS, run.next_update_s()));
    }
  }

  void warn(const std::string& what) {
    block_.clear();
    print(stderr,
          painted("Warning:", view::Tone::kWarning, wants_color(stderr)) + " " + what + "\n");
  }

  void tell_errors(const std::vector<session::AlertFacts>& news) {
    for (const auto& facts : news) {
      const std::string line = error_line(facts, wants_color(stderr));
      if (line.empty()) continue;
      block_.clear();
      print(stderr, line);
    }
  }

  void tell_alert_problems() {
    for (const std::string& problem : caller_.take_problems()) warn(one_line(problem));
  }

  void tell_unreadable(const std::string& why) {
    if (why.empty()) return;
    block_.clear();
    report({ErrorKind::kFailure, why});
  }

  double elapsed_s() const { return static_cast<double>(mono_now_ns() - begun_ns_) * 1e-9; }

  // Prints a line when one of several runs has ended: its state, and the estimated time left for
  // all.
  void tell_end(std::size_t index, const session::LiveRun& run) {
    if (index >= times_.size()) return;
    times_[index].took_s = elapsed_s();
    if (started_.folders.size() < 2) return;
    const auto& state = run.model().run_state();
    block_.clear();
    print(stderr, ended_line(index, started_.folders.size(), plan_.runs[index].spec.name,
                             state ? state->state : messages::State::kFailed, elapsed_s(),
                             launch::time_left_s(times_, index + 1, 0, {})));
  }

  void draw(std::size_t index, const session::LiveRun& run) {
    if (!is_terminal(stderr)) return;
    const std::int64_t now_ns = mono_now_ns();
    if (now_ns - drawn_ns_ < kDrawNs) return;
    drawn_ns_ = now_ns;
    const bool color = wants_color(stderr);
    const std::string title =
        run_title(index, started_.folders.size(), plan_.runs[index].is_baseline);
    std::string text =
        painted(title, view::Tone::kHigh, color) + "  " + progress_line(run.model(), run.context());
    if (index + 1 < started_.folders.size()) text += all_left(index, run);
    text += "\n";
    if (!hint_.empty()) text += hint_ + "\n";
    if (run.model().world_size() <= kShownRanks)
      text += rank_table(run.model(), run.context(), color);
    block_.draw(text);
  }

  // The time left for this run and those after it.
  std::string all_left(std::size_t index, const session::LiveRun& run) const {
    const auto progress = analysis::progress(run.model(), run.context().now_ns);
    const auto left_s = launch::time_left_s(times_, index, elapsed_s(), progress.eta_s);
    return left_s ? "; all: about " + view::rough_duration_text(*left_s) + " left" : "";
  }

  // Prints why the run waits, once for each reason, since it may wait for other runs later.
  void tell_wait(const std::string& wait) {
    if (wait == wait_) return;
    wait_ = wait;
    begun_ns_ = mono_now_ns();  // waiting is not part of a run's time
    if (wait.empty()) return;
    block_.clear();
    const std::string how =
        started_.on_tasks ? "`ringside stop " + started_.folders.back().id() + "`" : "Ctrl-C";
    print(stderr, "Queued " + one_line(wait) + ". " + how + " removes it from the queue.\n");
  }

  // Prints when a problem with the log begins and ends, since a run with a full disk looks normal
  // and continues.
  void tell_log_problem(const std::string& problem) {
    if (problem.empty() == log_problem_.empty()) return;
    log_problem_ = problem;
    if (!problem.empty()) {
      warn("records are being lost, training continues: " + one_line(problem) +
           "; free some space there");
      return;
    }
    block_.clear();
    print(stderr, "The log can be written again; it notes how many records are missing.\n");
  }

  void tell_contact(bool lost, const runlog::RunFolder& folder) {
    if (std::exchange(lost_, lost) == lost) return;
    if (lost) return warn("lost contact: " + runs::why_unheard(runs::stopped_agent(folder)));
    block_.clear();
    print(stderr, "In contact with its agent again.\n");
  }

  void pass_on_interrupts(std::size_t index) {
    const int count = interrupts_.count();
    if (count == passed_on_) return;
    const bool first = std::exchange(passed_on_, count) == 0;
    block_.clear();
    if (count >= 3) {
      print(stderr, "Killing the agent, and its ranks with it.\n");
      if (runs_still(started_.agent_pid, agent_ticks_)) ::kill(started_.agent_pid, SIGKILL);
      return;
    }
    const bool now = count == 2;
    const bool script = !plan_.runs[index].spec.program.argv.empty();
    hint_ = now      ? "Stopping now."
            : script ? "Stopping; the script saves only what it saves itself."
                     : "Stopping with a checkpoint.";
    if (!started_.on_tasks)
      hint_ += now ? " Ctrl-C once more kills the agent." : " Ctrl-C again stops at once.";
    if (!is_terminal(stderr)) print(stderr, hint_ + "\n");
    // Waiting runs are removed first, so that none of them starts when the one before it ends.
    if (first) take_out(behind_);
    for (std::size_t i = started_.folders.size(); i-- > index;) {
      const auto asked = place::ask_stop(started_.folders[i],
                                         now ? wire::StopMode::kNow : wire::StopMode::kGraceful);
      if (!asked && i == index) report(asked.error());
    }
  }

  void wait_for_agent() {
    while (runs_still(started_.agent_pid, agent_ticks_) && !interrupts_.leaving()) {
      pass_on_interrupts(0);
      pause_ns(5'000'000);
    }
  }

  const launch::Started& started_;
  const launch::Plan& plan_;
  const Interrupts& interrupts_;
  std::int32_t since_attempt_;
  const std::vector<runlog::RunFolder>& behind_;
  LiveBlock block_;
  std::uint64_t agent_ticks_;
  std::string hint_;
  std::string log_problem_;
  std::string wait_;   // printed reason why it is queued
  bool lost_ = false;  // lost contact with its agent
  std::vector<launch::RunTime> times_;
  std::int64_t begun_ns_ = 0;  // start of the current run, or end of its wait
  std::int64_t drawn_ns_ = 0;
  int passed_on_ = 0;
  WakeSignal bell_;
  session::AlertSettings alerts_;
  session::AlertCaller caller_;
};

}  // namespace

void watch_runs(const launch::Started& started, const launch::Plan& plan,
                const Interrupts& interrupts, const std::string& on_alert,
                std::int32_t since_attempt, const std::vector<runlog::RunFolder>& behind) {
  Watch(started, plan, interrupts, on_alert, since_attempt, behind).run();
}

void tell_probing() { print(stderr, "Probing this machine, some seconds …\n"); }

void take_out(const std::vector<runlog::RunFolder>& behind) {
  for (auto run = behind.rbegin(); run != behind.rend(); ++run)
    (void)place::ask_stop(*run, wire::StopMode::kNow);
}

void add_on_alert(Command& command, std::string& on_alert) {
  command
      .add_option("--on-alert PROGRAM", on_alert,
                  "Program to call with every new alert and with each run's end; its environment "
                  "has RINGSIDE_ALERT, RINGSIDE_ALERT_TEXT, RINGSIDE_RUN, RINGSIDE_RANK and others")
      .not_empty("a program")
      .excludes(command.option("--detach"));
}

Result<void> check_on_alert(const std::string& on_alert) {
  if (on_alert.empty()) return {};
  const auto program = launch::find_on_path(on_alert);
  if (!program) return bad_request("--on-alert: " + program.error().message);
  std::error_code ignored;
  if (std::filesystem::is_directory(*program, ignored))
    return bad_request("--on-alert: " + *program + " is a folder; name a program");
  if (::access(program->c_str(), X_OK) == 0) return {};
  return bad_request("--on-alert: " + *program + " cannot be run: " + std::strerror(errno));
}

int left_alone(const Interrupts& interrupts, const std::filesystem::path& runs_dir) {
  const std::string last = "last" + where_found(runs_dir);
  print(stderr, "The run continues in the background. Watch: ringside tail " + last +
                    "   Stop: ringside stop " + last + "\n");
  return interrupts.exit_code();
}

void print_result(const std::vector<runs::RunSummary>& runs, bool json, double expected_s) {
  if (!json) {
    print(stdout, result_text(runs, wants_color(stdout)));
    return;
  }
  print(stderr, failures_text(runs));
  print(stdout, dump(result_json(runs, expected_s)) + "\n");
}

int exit_code_of(const std::vector<runs::RunSummary>& runs, const Interrupts& interrupts) {
  if (interrupts.count() > 0) return interrupts.exit_code();
  return std::all_of(runs.begin(), runs.end(), runs::succeeded) ? 0 : 1;
}

}  // namespace ringside::cli
