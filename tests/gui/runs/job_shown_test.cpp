// R11: a run that is a Slurm job is shown with its state in the queue while no agent has it.
#include <optional>

#include "gui/runs/shown_state.h"
#include "gui/slurm/jobs.h"
#include "protocol/messages/rank_records.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::State;
using runs::AgentPresence;

namespace {

slurm::RunJob job_in(const char* state, const char* reason = "None", const char* nodes = "",
                     bool of_own_srun = false) {
  slurm::RunJob job = slurm::run_job("12", {state, reason, nodes}, of_own_srun);
  job.reported_wall_ns = 7;
  return job;
}

std::optional<messages::RankState> recorded(State state) {
  messages::RankState record;
  record.state = state;
  record.text = "because";
  return record;
}

runs::ShownState shown(const std::optional<messages::RankState>& state, AgentPresence presence,
                       const slurm::RunJob& job) {
  return runs::shown_state({state, presence, 0, job});
}

constexpr AgentPresence kLeft = AgentPresence::kLeft;

}  // namespace

TEST_CASE("R11: a job that waits is a queued run, with Slurm's reason in words") {
  const auto state = shown({}, kLeft, job_in("PENDING", "Resources"));
  CHECK(state.word == "queued");
  CHECK(state.detail == "in Slurm, job 12: waiting for resources");
  CHECK(state.live);
  CHECK_FALSE(state.ended);
}

TEST_CASE("R11: a job of unknown state counts as waiting") {
  CHECK(shown({}, kLeft, job_in("")).detail == "in Slurm, job 12: its state is not known yet");
  slurm::RunJob fresh = slurm::run_job({}, {}, false);
  CHECK(shown({}, kLeft, fresh).detail == "in Slurm: it is being submitted");
  fresh.phase = slurm::JobPhase::kCut;
  CHECK(shown({}, kLeft, fresh).detail == "it was not submitted to Slurm");
  CHECK(shown({}, kLeft, fresh).word == "interrupted");
}

TEST_CASE(
    "R11: a job that another cluster of a federation has is over here, unless its agent is seen") {
  const auto job = job_in("REVOKED");
  const auto gone = shown({}, kLeft, job);
  CHECK(gone.word == "interrupted");
  CHECK(gone.detail.starts_with("Slurm job 12: taken back here: another cluster"));
  CHECK(shown(recorded(State::kTraining), AgentPresence::kElsewhere, job).word == "training");
}

TEST_CASE("R11: a running job without an agent is starting") {
  const auto state = shown({}, kLeft, job_in("RUNNING", "None", "n[1-2]"));
  CHECK(state.word == "starting");
  CHECK(state.detail == "in Slurm, job 12 on n[1-2]: running");
}

TEST_CASE("R11: a step of a person's own srun whose agent is gone does not wait for another one") {
  auto job = job_in("RUNNING", "None", "n1", true);
  CHECK(shown({}, kLeft, job).word == "starting");
  CHECK(shown(recorded(State::kTraining), kLeft, job).word == "interrupted");
  CHECK(shown(recorded(State::kTraining), AgentPresence::kGone, job).word == "interrupted");
  CHECK(shown({}, AgentPresence::kGone, job).word == "interrupted");
  CHECK(shown(recorded(State::kTraining), AgentPresence::kElsewhere, job).word == "training");
  CHECK(shown(recorded(State::kFailed), kLeft, job).word == "failed");
  CHECK(shown(recorded(State::kTraining), kLeft, job_in("RUNNING")).word == "starting");
  // The task of rank 0 has exited with code 1.
  job = job_in("FAILED", "None", "", true);
  CHECK(shown(recorded(State::kTraining), AgentPresence::kGone, job).word == "interrupted");
  CHECK(shown({}, kLeft, job).word == "failed");
  CHECK(shown({}, kLeft, job).detail ==
        "it did not begin in its step of Slurm job 12; why is in agent.log of the run folder");
}

TEST_CASE("R11: the agent's state takes precedence over the queue's") {
  slurm::RunJob job = job_in("PENDING");
  job.agent_wall_ns = job.reported_wall_ns;  // it wrote after Slurm was asked
  for (const auto presence : {AgentPresence::kAlive, AgentPresence::kElsewhere}) {
    const auto state = shown(recorded(State::kTraining), presence, job);
    CHECK(state.word == "training");
    CHECK(state.detail == "because");
  }
  CHECK(shown(recorded(State::kTraining), AgentPresence::kElsewhere, job_in("RUNNING")).word ==
        "training");
}

TEST_CASE("R11: an agent on another node is gone once its job waits again, as its node died") {
  slurm::RunJob job = job_in("PENDING", "BeginTime");
  job.agent_wall_ns = job.reported_wall_ns - 1;
  for (const double silent_s : {1.0, 1000.0}) {
    const auto state = recorded(State::kTraining);
    constexpr auto kElsewhere = AgentPresence::kElsewhere;
    const auto told = runs::shown_state({state, kElsewhere, silent_s, job});
    CHECK(told.word == "queued");
    CHECK(told.live);
  }
  CHECK(shown(recorded(State::kTraining), AgentPresence::kAlive, job).word == "training");
}

TEST_CASE("R11: a waiting run shows since when Slurm does not answer") {
  slurm::RunJob job = job_in("PENDING", "Resources");
  job.problem = "squeue: timed out";
  CHECK(shown({}, kLeft, job).detail ==
        "in Slurm, job 12: waiting for resources; Slurm has not answered yet: squeue: timed out");
  job.silent_wall_ns = 1'700'000'000'000'000'000;
  const std::string detail = shown({}, kLeft, job).detail;
  const auto at = detail.find("; Slurm has not answered since ");
  REQUIRE(at != std::string::npos);
  CHECK(detail.substr(at + 33) == ":13: squeue: timed out");  // in every time zone of whole hours
}

TEST_CASE(
    "R11: between two attempts a run is queued, whatever the last attempt recorded except an end") {
  for (const State state : {State::kQueued, State::kStopped, State::kFailed, State::kTraining})
    CHECK(shown(recorded(state), kLeft, job_in("PENDING", "BeginTime")).word == "queued");
  CHECK(shown(recorded(State::kFinished), kLeft, job_in("PENDING")).word == "finished");
  CHECK(shown(recorded(State::kStopped), kLeft, job_in("RUNNING")).word == "stopped");
}

TEST_CASE("R11: a job state older than the end of an attempt is not taken for the next attempt's") {
  auto ended = recorded(State::kStopped);
  ended->wall_ns = 8;
  CHECK(shown(ended, kLeft, job_in("PENDING")).word == "stopped");
  ended->wall_ns = 7;
  CHECK(shown(ended, kLeft, job_in("PENDING")).word == "queued");
}

TEST_CASE("R11: a job that ended without a final state from an agent shows the reason") {
  const struct {
    const char* state;
    const char* word;
    const char* detail;
  } rows[] = {
      {"COMPLETED", "interrupted", "completed"},
      {"FAILED", "failed", "failed"},
      {"OUT_OF_MEMORY", "failed", "out of memory: Slurm's limit was reached"},
      {"CANCELLED by 0", "stopped", "cancelled by root"},
      {"TIMEOUT", "interrupted", "its time limit was reached"},
      {"NODE_FAIL", "interrupted", "one of its nodes failed"},
      {"BOOT_FAIL", "interrupted", "its nodes did not boot"},
      {"DEADLINE", "interrupted", "its deadline passed"},
      {"PREEMPTED", "interrupted", "preempted by a job that goes first"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.state);
    for (const auto& state : {std::optional<messages::RankState>(), recorded(State::kTraining)}) {
      const auto told = shown(state, kLeft, job_in(row.state));
      CHECK(told.word == row.word);
      CHECK(told.ended);
      CHECK_FALSE(told.live);
      CHECK(told.detail.starts_with("Slurm job 12: " + std::string(row.detail)));
      const bool output = told.detail.find("slurm.out") != std::string::npos;
      CHECK(output == (!state && told.word != "stopped"));
    }
  }
}

TEST_CASE("R11: a run whose time was up and whose job was not requeued is stopped") {
  const auto state = shown(recorded(State::kQueued), kLeft, job_in("COMPLETED"));
  CHECK(state.word == "stopped");
  CHECK(state.ended);
  CHECK(state.detail.find("job 12") != std::string::npos);
}

TEST_CASE("R11: an end that an agent recorded stays, with a remark of Slurm's") {
  CHECK(shown(recorded(State::kStopped), kLeft, job_in("TIMEOUT")).detail ==
        "because; Slurm says of job 12: its time limit was reached");
  CHECK(shown(recorded(State::kFailed), kLeft, job_in("FAILED")).detail == "because");
  CHECK(shown(recorded(State::kFinished), kLeft, job_in("TIMEOUT")).detail == "because");
  CHECK(shown(recorded(State::kStopped), kLeft, job_in("COMPLETED")).detail == "because");
}
