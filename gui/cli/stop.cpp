// `ringside stop RUN`.
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/start/ask_stop.h"
#include "gui/place/run_place.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/run_source.h"
#include "gui/runs/shown_state.h"
#include "gui/session/studies/study_start.h"
#include "protocol/base/clock.h"
#include "protocol/messages/ignore_records.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::cli {
namespace {

constexpr std::int64_t kWaitNs = 200'000'000;
constexpr std::int64_t kLeaveNs = 2'000'000'000;
constexpr std::uint64_t kBudgetBytes = std::uint64_t{8} << 20;

struct StopOptions : CommonOptions {
  bool now = false;
};

/// Token of the run's agent according to the folder; 0: no agent.
std::uint64_t agent_of(const runlog::RunFolder& folder) {
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  return endpoint ? endpoint->run_token : 0;
}

/// Whether the run has an agent other than the one that was asked, so somebody resumed it.
bool is_resumed(const runlog::RunFolder& folder, std::uint64_t asked) {
  const std::uint64_t now = agent_of(folder);
  return asked != 0 && now != 0 && now != asked;
}

// Reads the log until nobody writes any more, or until another agent does, since somebody resumed
// the run.
Result<void> wait_for_end(const runlog::RunFolder& folder, std::uint64_t asked,
                          const launch::Cancelled& cancelled = {}) {
  messages::IgnoreRecords ignore;
  runs::RunSource source(folder);
  while (!cancelled || !cancelled()) {
    const auto progress = RINGSIDE_TRY(source.poll(ignore, kBudgetBytes, kWaitNs));
    if (progress.ended) return {};
    if (is_resumed(folder, asked)) return {};
  }
  return {};
}

/// The end of an attempt that is no longer the newest.
runs::ShownState end_of(const runlog::RunFolder& folder, std::int32_t attempt) {
  struct Newest final : messages::RecordSink {
    explicit Newest(std::int32_t which) : attempt(which) {}
    void accept(const messages::Stamp& stamp, const messages::Record& record) override {
      const auto* told = std::get_if<messages::RankState>(&record);
      const bool of_run = told != nullptr && stamp.rank == kNoRank && told->about == kNoRank;
      // A run that never began has the same attempt number when it is resumed.
      const bool over = state && messages::is_final(state->state);
      if (of_run && told->attempt == attempt && (!over || messages::is_final(told->state)))
        state = *told;
    }
    std::int32_t attempt;
    std::optional<messages::RankState> state;
  } newest(attempt);
  (void)runlog::read_log(folder.log_path(0), newest);  // an incomplete end does not matter
  return runs::shown_state({newest.state, runs::AgentPresence::kGone});
}

void print_state(const runs::RunSummary& run, bool json) {
  if (json) return print_result({run}, true);
  const std::string detail = run.state.detail.empty() ? "" : ": " + one_line(run.state.detail);
  const view::StateView state = state_of(run);
  print(stdout, runs::label_of(run) + "  " + run.folder.id() + "  " +
                    painted(state.word, state.tone, wants_color(stdout)) + detail + "\n");
}

/// Whether the agent has exited after the recorded end, which may take a moment.
bool agent_left(const runlog::RunFolder& folder) {
  const std::int64_t deadline_ns = mono_now_ns() + kLeaveNs;
  while (runlog::FolderLock::is_held(folder)) {
    if (mono_now_ns() > deadline_ns) return false;
    pause_ns(5'000'000);
  }
  return true;
}

bool is_over(const runs::RunSummary& run) {
  const auto& state = run.figures.state;
  return state && messages::is_final(state->state);
}

/// Asks a run to stop and waits for its end. Returns its final state, or why it could not be asked.
Result<runs::RunSummary> ask_and_wait(const runs::ListedRun& run, const runs::RunSummary& before,
                                      wire::StopMode mode) {
  launch::wait_until_askable(run.folder);
  const auto report = place::place_report(run.folder);
  // If the job waits again, the agent in the folder was on a node that died.
  const std::uint64_t agent = report && report->waits() ? 0 : agent_of(run.folder);
  const auto asked = session::stop_run(before, mode);
  if (asked) {
    // A run without an agent was waiting in a queue, and has now been removed from it.
    const auto ended = agent == 0 ? Result<void>() : wait_for_end(run.folder, agent);
    if (!ended) return pass(ended);
    if (agent != 0 && agent_left(run.folder)) place::release_run(run.folder);
  }
  auto after = runs::read_summary(run);
  // The run may have ended by itself, or its agent may have exited before it answered.
  if (!asked && !(is_over(after) && agent_left(run.folder)) && !is_resumed(run.folder, agent))
    return pass(asked);
  if (!after.state.ended) {
    const auto& state = before.figures.state;
    after.state = end_of(run.folder, state ? state->attempt : 0);
    print(stderr, "It has been resumed since, and runs in another attempt.\n");
  }
  return after;
}

/// Waits until none of the study's runs is active.
Result<int> stop_whole_study(const StopOptions& options) {
  const Interrupts interrupts;
  const auto cancelled = [&] { return interrupts.any(); };
  const auto mode = options.now ? wire::StopMode::kNow : wire::StopMode::kGraceful;
  const auto stopped = session::stop_study(options.runs_folder(), options.run, mode, cancelled);
  if (!stopped) {
    const bool none = stopped.error().kind == ErrorKind::kRequest;
    return not_done(
        interrupts, stopped.error(),
        none ? "the study was not stopped" : "not every run of the study was asked to stop");
  }
  for (const auto& setting : stopped->study.settings) {
    for (const std::string& id : setting.runs) {
      const runlog::RunFolder folder(options.runs_folder() / id);
      const std::uint64_t agent = id.empty() ? 0 : agent_of(folder);
      if (agent == 0) continue;
      RINGSIDE_TRY(wait_for_end(folder, agent, cancelled));
    }
  }
  if (stopped->asked > 0 && cancelled())
    return gave_up(interrupts, "the runs of the study stop without being waited for");
  const std::string& name = stopped->study.head.study;
  if (options.json) {
    print(stdout, dump(Json{{"study", name}, {"stopped", stopped->asked}}) + "\n");
    return 0;
  }
  print(stdout, stopped->asked == 0 ? "Study " + name + ": none of its runs is active.\n"
                                    : "Study " + name + " stopped. Go on: ringside resume " + name +
                                          where_found(options.runs_folder()) + "\n");
  return 0;
}

Result<int> stop(const StopOptions& options) {
  if (!runs::study_name(options.run).empty()) return stop_whole_study(options);
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto before = runs::read_summary(found);
  // An end that is recorded while the folder is locked is very recent, or somebody resumes the run.
  const bool held = runlog::FolderLock::is_held(found.folder);
  if (before.state.ended && !held) {
    print_state(before, options.json);
    return 0;
  }
  const auto after = RINGSIDE_TRY(
      ask_and_wait(found, before, options.now ? wire::StopMode::kNow : wire::StopMode::kGraceful));
  print_state(after, options.json);
  // A run that failed while it was being stopped was not saved; the reason was printed above.
  const bool good = after.state.word != "did_not_die" && after.state.word != "failed";
  return good ? 0 : 1;
}

}  // namespace

void add_stop(Command& app) {
  auto options = std::make_shared<StopOptions>();
  Command command = app.add_command("stop",
                                    "Stop a run with a checkpoint and wait until it has ended; a "
                                    "queued run never starts; or a study "
                                    "(S-07)");
  add_run_name(command, *options);
  command.add_flag("--now", options->now, "Without a checkpoint");
  add_json(command, *options, "One JSON object, as of run; of a study how many runs were stopped");
  add_runs_dir(command, *options);
  add_on(command, *options, "On another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    return options->on.empty() ? stop(*options) : run_remotely(*options, typed, CommandKind::kAct);
  });
}

}  // namespace ringside::cli
