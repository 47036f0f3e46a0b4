#include "gui/cli/watch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "gui/analysis/alert_tracker.h"
#include "gui/cli/json.h"
#include "gui/cli/live_text.h"
#include "gui/cli/terminal.h"
#include "gui/model/run_model.h"
#include "gui/runs/find_run.h"
#include "gui/session/alert_caller.h"
#include "gui/view/live/event_strip.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::cli {
namespace {

constexpr std::int64_t kPollNs = 100'000'000;
constexpr std::int64_t kAskNs = 5'000'000'000;
constexpr std::uint64_t kBudgetBytes = std::uint64_t{8} << 20;
constexpr Rank kShownRanks = 8;

// Some lines at the bottom of a terminal that are drawn over themselves.
class LiveBlock {
 public:
  explicit LiveBlock(bool shown) : shown_(shown) {}
  ~LiveBlock() { clear(); }
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;

  void draw(const std::string& text) {
    if (!shown_) return;
    const auto width = static_cast<std::size_t>(std::max(20, columns_of(stderr) - 1));
    std::string out = back_to_start();
    lines_ = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += cut_to(text.substr(at, end - at), width) + "\x1b[K\n";
      ++lines_;
      at = end + 1;
    }
    print(stderr, out + "\x1b[J");
  }

  void clear() {
    if (shown_ && lines_ > 0) print(stderr, back_to_start() + "\x1b[J");
    lines_ = 0;
  }

 private:
  std::string back_to_start() const {
    return lines_ == 0 ? "" : "\x1b[" + std::to_string(lines_) + "F";
  }

  bool shown_;
  int lines_ = 0;
};

bool runs_still(std::int32_t pid, std::uint64_t started_ticks) {
  const std::uint64_t ticks = wire::process_start_ticks(pid);
  return ticks != 0 && ticks == started_ticks;
}

// Calls a program with the alerts of one run after the other.
class AlertHook {
 public:
  explicit AlertHook(const std::string& program) : caller_({}) {
    if (!program.empty()) settings_.command = {program};
  }

  void begin() {
    book_ = {};
    looked_ns_ = 0;
  }

  void look(const model::RunModel& model, const view::RunContext& context,
            const runlog::RunFolder& folder, bool ended) {
    if (settings_.command.empty()) return;
    const std::int64_t now_ns = mono_now_ns();
    if (!ended && now_ns - looked_ns_ < kLookNs) return;
    looked_ns_ = now_ns;
    const auto fresh = book_.take(view::alerts_of(model, context), context.now_ns);
    const std::string path = folder.path().string();
    caller_.post(settings_, session::facts_of(fresh, model, context, path));
    if (ended) caller_.post(settings_, {session::end_facts(model, context, path)});
  }

  std::vector<std::string> take_problems() { return caller_.take_problems(); }
  void finish() { caller_.finish(); }

 private:
  static constexpr std::int64_t kLookNs = 250'000'000;
  session::AlertSettings settings_;
  session::AlertCaller caller_;
  analysis::AlertTracker book_;
  std::int64_t looked_ns_ = 0;
};

class Watch {
 public:
  Watch(const launch::Experiment& experiment, const launch::Plan& plan,
        const Interrupts& interrupts, const std::string& on_alert)
      : experiment_(experiment),
        plan_(plan),
        interrupts_(interrupts),
        hook_(on_alert),
        block_(is_terminal(stderr)),
        agent_ticks_(wire::process_start_ticks(experiment.agent_pid)) {}

  void run() {
    for (std::size_t i = 0; i < experiment_.folders.size(); ++i) follow(i);
    block_.clear();
    wait_for_agent();
    hook_.finish();
    tell_hook_problems();
  }

 private:
  void follow(std::size_t index) {
    runs::LogSource source(experiment_.folders[index]);
    model::RunModel model(plan_.runs[index].spec);
    const std::string title = plan_.runs[index].is_baseline ? "Baseline" : "Run";
    hook_.begin();
    while (!interrupts_.leaving()) {
      pass_on_interrupts(index);
      const auto progress = source.poll(model, kBudgetBytes, kPollNs);
      if (!progress) {
        block_.clear();
        report(progress.error());
        return;
      }
      tell_log_problem(progress->log_problem);
      const view::RunContext context = context_of(index, model, *progress);
      hook_.look(model, context, experiment_.folders[index], progress->ended);
      tell_hook_problems();
      if (progress->ended) return;
      tell_wait(model, experiment_.folders[index]);
      draw(title, model, context);
    }
  }

  view::RunContext context_of(std::size_t index, const model::RunModel& model,
                              const runs::SourceProgress& progress) const {
    view::RunContext context;
    context.id = experiment_.folders[index].id();
    context.contact = progress.ended ? view::Contact::kEnded : view::Contact::kLive;
    context.now_ns = progress.ended ? model.last_ns() : mono_now_ns();
    context.log_problem = progress.log_problem;
    return context;
  }

  void tell_hook_problems() {
    for (const std::string& problem : hook_.take_problems()) {
      block_.clear();
      print(stderr, painted("Warning:", view::Tone::kWarning, wants_color(stderr)) + " " +
                        one_line(problem) + "\n");
    }
  }

  void draw(const std::string& title, const model::RunModel& model,
            const view::RunContext& context) {
    if (!is_terminal(stderr)) return;
    const std::int64_t now_ns = mono_now_ns();
    if (now_ns - drawn_ns_ < kPollNs) return;
    drawn_ns_ = now_ns;
    const bool color = wants_color(stderr);
    std::string text =
        painted(title, view::Tone::kHigh, color) + "  " + progress_line(model, context) + "\n";
    if (!hint_.empty()) text += hint_ + "\n";
    if (model.world_size() <= kShownRanks) text += rank_table(model, context, color);
    block_.draw(text);
  }

  // Once for each reason: whose end it waits for may change.
  void tell_wait(const model::RunModel& model, const runlog::RunFolder& folder) {
    const auto& state = model.run_state();
    const bool queued = state && state->state == messages::State::kQueued;
    const std::string wait = queued ? state->text : std::string();
    if (wait == wait_) return;
    wait_ = wait;
    if (wait.empty()) return;
    block_.clear();
    print(stderr, "Queued " + one_line(runs::name_runs(wait, folder.path().parent_path())) +
                      ". Ctrl-C removes it from the queue.\n");
  }

  // A run with a full disk looks as well as any other, and goes on: said when it begins and ends.
  void tell_log_problem(const std::string& problem) {
    if (problem.empty() == log_problem_.empty()) return;
    log_problem_ = problem;
    block_.clear();
    if (problem.empty()) {
      print(stderr, "The log can be written again; it notes how many records are missing.\n");
    } else {
      print(stderr, painted("Warning:", view::Tone::kWarning, wants_color(stderr)) +
                        " records are being lost, training continues: " + one_line(problem) +
                        "; free some space there\n");
    }
  }

  void pass_on_interrupts(std::size_t index) {
    const int count = interrupts_.count();
    if (count == passed_on_) return;
    passed_on_ = count;
    block_.clear();
    if (count >= 3) {
      print(stderr, "Killing the agent, and its ranks with it.\n");
      if (runs_still(experiment_.agent_pid, agent_ticks_)) ::kill(experiment_.agent_pid, SIGKILL);
      return;
    }
    const bool now = count == 2;
    hint_ = now ? "Stopping now. Ctrl-C once more kills the agent."
                : "Stopping with a checkpoint. Ctrl-C again stops at once.";
    if (!is_terminal(stderr)) print(stderr, hint_ + "\n");
    // Waiting runs first, so that none of them begins when the one before it ends.
    for (std::size_t i = experiment_.folders.size(); i-- > index;) {
      const auto asked =
          ask_stop(experiment_.folders[i], now ? wire::StopMode::kNow : wire::StopMode::kGraceful);
      if (!asked && i == index) report(asked.error());
    }
  }

  void wait_for_agent() {
    while (runs_still(experiment_.agent_pid, agent_ticks_) && !interrupts_.leaving()) {
      pass_on_interrupts(0);
      const timespec pause{0, 5'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }

  const launch::Experiment& experiment_;
  const launch::Plan& plan_;
  const Interrupts& interrupts_;
  AlertHook hook_;
  LiveBlock block_;
  std::uint64_t agent_ticks_;
  std::string hint_;
  std::string log_problem_;
  std::string wait_;  // why it is queued, as printed
  std::int64_t drawn_ns_ = 0;
  int passed_on_ = 0;
};

}  // namespace

void watch_experiment(const launch::Experiment& experiment, const launch::Plan& plan,
                      const Interrupts& interrupts, const std::string& on_alert) {
  Watch(experiment, plan, interrupts, on_alert).run();
}

void add_on_alert(Command& command, std::string& on_alert) {
  command
      .add_option("--on-alert", on_alert,
                  "Program to call with every new alert and with each run's end; its environment "
                  "has RINGSIDE_ALERT, RINGSIDE_ALERT_TEXT, RINGSIDE_RUN, RINGSIDE_RANK and others")
      .type("PROGRAM")
      .excludes(command.option("--detach"));
}

Result<void> check_on_alert(const std::string& on_alert) {
  if (on_alert.empty()) return {};
  const auto program = session::find_on_path(on_alert);
  if (!program) return bad_request("--on-alert: " + program.error().message);
  if (::access(program->c_str(), X_OK) == 0) return {};
  return bad_request("--on-alert: " + *program + " cannot be run: " + std::strerror(errno));
}

int left_alone(const Interrupts& interrupts) {
  print(stderr,
        "The run continues in the background. Watch: ringside tail last   Stop: ringside stop "
        "last\n");
  return interrupts.exit_code();
}

void name_own_stop(std::vector<runs::RunSummary>& runs, const Interrupts& interrupts) {
  constexpr std::string_view kViewer = "asked by a viewer";
  if (interrupts.count() == 0) return;
  for (auto& run : runs) {
    std::string& detail = run.state.detail;
    if (run.state.word == "stopped" && detail.starts_with(kViewer))
      detail.replace(0, kViewer.size(), "asked here");
  }
}

void print_result(const std::vector<runs::RunSummary>& runs, bool json) {
  if (!json) {
    print(stdout, experiment_text(runs, wants_color(stdout)));
    return;
  }
  print(stderr, failures_text(runs));
  print(stdout, dump(experiment_json(runs)) + "\n");
}

int exit_code_of(const std::vector<runs::RunSummary>& runs, const Interrupts& interrupts) {
  if (interrupts.count() > 0) return interrupts.exit_code();
  const bool finished = std::all_of(runs.begin(), runs.end(),
                                    [](const auto& run) { return run.state.word == "finished"; });
  return finished ? 0 : 1;
}

Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode) {
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  if (!endpoint) return pass(endpoint);
  if (!wire::is_alive(*endpoint)) {
    return failure("the agent of run " + folder.id() + " is gone, there is nothing to stop");
  }
  auto client = wire::FollowClient::connect(*endpoint);
  if (!client) return pass(client);
  return client->ask_stop(mode, kAskNs);
}

}  // namespace ringside::cli
