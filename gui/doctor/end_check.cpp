// Checks how ranks end when one of them is killed or hangs, and when a stop is requested.
#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "gui/doctor/checks.h"
#include "gui/launch/start/ask_stop.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "protocol/base/clock.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::doctor {
namespace {

constexpr Step kStopAt = 3;
constexpr std::int64_t kMostNs = 20'000'000'000;
constexpr std::int64_t kEndCheckNs = 2'000'000;

bool gone(const std::vector<std::int32_t>& pids) {
  return std::all_of(pids.begin(), pids.end(),
                     [](std::int32_t pid) { return wire::process_start_ticks(pid) == 0; });
}

/// Seconds since `begin_ns` until the processes are gone; kMostNs if they do not end.
double wait_gone(const std::vector<std::int32_t>& pids, std::int64_t begin_ns) {
  while (!gone(pids) && mono_now_ns() - begin_ns < kMostNs) {
    pause_ns(kEndCheckNs);
  }
  return static_cast<double>(mono_now_ns() - begin_ns) / 1e9;
}

Result<std::unique_ptr<Trial>> training(const Site& site, const messages::RunSpec& spec) {
  auto trial = RINGSIDE_TRY(Trial::start(site, spec));
  RINGSIDE_TRY(trial->follow_until(
      [](const Trial& run) { return run.newest_step() >= kStopAt && !run.rank_pids().empty(); }));
  return trial;
}

/// How the run ended; it is over or about to be.
Result<RanksGone> ended(Trial& trial, const std::string& how, double seconds,
                        messages::State wanted) {
  RINGSIDE_TRY(trial.follow_to_end());
  const auto& state = trial.model().run_state();
  return RanksGone{how, seconds,
                   state ? std::string(messages::name_of(state->state)) : "without a state",
                   state && state->state == wanted};
}

/// Sends the signal to the last rank. SIGSTOP only pauses it, so that the run is then asked to
/// stop.
Result<RanksGone> after_signal(const Site& site, const messages::RunSpec& spec, int signal,
                               const std::string& how) {
  const auto trial = RINGSIDE_TRY(training(site, spec));
  const auto pids = trial->rank_pids();
  const std::int64_t begin_ns = mono_now_ns();
  ::kill(pids.back(), signal);
  if (signal == SIGSTOP) {
    const auto asked = launch::ask_stop(trial->folder(), wire::StopMode::kNow);
    if (!asked) return pass(asked);
  }
  return ended(*trial, how, wait_gone(pids, begin_ns),
               signal == SIGSTOP ? messages::State::kStopped : messages::State::kFailed);
}

struct Resumed {
  RanksGone gone;
  Step saved_at = 0;
  Step resumed_at = 0;
};

Result<Resumed> after_stop(const Site& site) {
  messages::RunSpec spec = short_run(site, site.ranks(2));
  spec.checkpoint.resume = "auto";
  const auto trial = RINGSIDE_TRY(training(site, spec));
  const auto pids = trial->rank_pids();
  const std::int64_t begin_ns = mono_now_ns();
  RINGSIDE_TRY(launch::ask_stop(trial->folder(), wire::StopMode::kGraceful));
  auto gone = RINGSIDE_TRY(
      ended(*trial, "stop at step 3", wait_gone(pids, begin_ns), messages::State::kStopped));
  Resumed result{std::move(gone), 0, 0};
  const auto checkpoints = trial->model().checkpoints();
  if (!checkpoints.empty()) result.saved_at = checkpoints.back().checkpoint.step;

  RINGSIDE_TRY(trial->restart_run());
  RINGSIDE_TRY(trial->follow_until([](const Trial& run) { return !run.rank_pids().empty(); }));
  result.resumed_at = trial->model().rank(0)->hello->first_step;
  return result;
}

/// Seconds until a killed process is gone that did nothing but hold a GPU.
Result<double> bare_end(const Site& site) {
  const auto spec = RINGSIDE_TRY(checked_run(site, 1, {"hold"}));
  const auto trial = RINGSIDE_TRY(Trial::start(site, spec));
  RINGSIDE_TRY(trial->follow_until(
      [](const Trial& run) { return run.output_of(0).find("facts ") != std::string::npos; }));
  const auto facts = RINGSIDE_TRY(trial->facts());
  const std::int32_t pid = facts.front().value("pid", 0);
  if (pid <= 0) return failure("the rank that only holds a GPU reported no process id");
  const std::int64_t begin_ns = mono_now_ns();
  ::kill(pid, SIGKILL);
  return wait_gone({pid}, begin_ns);
}

}  // namespace

Result<CheckVerdict> check_ends(const Site& site) {
  std::vector<RanksGone> all;
  const auto bare_s = RINGSIDE_TRY(site.gpu ? bare_end(site) : Result<double>(0.0));
  messages::RunSpec spec = short_run(site, site.ranks(2));
  for (const bool graph : {false, true}) {
    if (graph && !site.gpu) continue;
    spec.train.cuda_graph = graph;
    for (const auto& [signal, name] : {std::pair(SIGKILL, "KILL"), std::pair(SIGSTOP, "STOP")}) {
      const std::string how = std::string(name) + " of a rank" + (graph ? " in a graph" : "");
      const auto went = RINGSIDE_TRY(after_signal(site, spec, signal, how));
      all.push_back(went);
    }
  }
  const auto stopped = RINGSIDE_TRY(after_stop(site));
  all.push_back(stopped.gone);
  return judge_ends(all, stopped.saved_at, stopped.resumed_at, calm_now(), bare_s);
}

}  // namespace ringside::doctor
