// R11: no run stays "training" for ever.
#include "gui/runs/shown_state.h"

#include "protocol/host/files.h"
#include "protocol/messages/rank_records.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using messages::State;
using runs::AgentPresence;
using runs::shown_state;

namespace {

messages::RankState state_of(State state) {
  messages::RankState record;
  record.state = state;
  record.text = "because";
  return record;
}

}  // namespace

TEST_CASE("R11: a final state stands, whatever happened to the agent") {
  for (const auto presence : {AgentPresence::kAlive, AgentPresence::kGone, AgentPresence::kLeft}) {
    const auto shown = shown_state({state_of(State::kFailed), presence});
    CHECK(shown.word == "failed");
    CHECK(shown.detail == "because");
    CHECK(shown.ended);
    CHECK(!shown.live);
  }
}

TEST_CASE("R11: without its agent an unfinished run is interrupted") {
  for (const auto presence : {AgentPresence::kGone, AgentPresence::kLeft}) {
    for (const auto state : {State::kQueued, State::kTraining, State::kStopping}) {
      const auto shown = shown_state({state_of(state), presence});
      CHECK(shown.word == "interrupted");
      CHECK(shown.ended);
      CHECK(shown.detail.find(std::string(messages::name_of(state))) != std::string::npos);
    }
  }
  CHECK(shown_state({std::nullopt, AgentPresence::kLeft}).word == "interrupted");
  CHECK(shown_state({state_of(State::kTraining), AgentPresence::kGone}).detail ==
        "its agent died while the run was training: the last reports of its ranks may be missing");
}

TEST_CASE("with its agent alive a run has its last recorded state") {
  CHECK(shown_state({state_of(State::kEvaluating), AgentPresence::kAlive}).word == "evaluating");
  CHECK(shown_state({state_of(State::kEvaluating), AgentPresence::kAlive}).live);
  CHECK(shown_state({std::nullopt, AgentPresence::kAlive}).word == "starting");
}

TEST_CASE("R11: a process that holds the lock of the folder is a live agent") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-7f3a1c", {});
  {
    const auto lock = runlog::FolderLock::take(run);
    CHECK(runs::agent_presence(run) == AgentPresence::kAlive);
    // A pid from a container with its own PID namespace means another process here, or none.
    REQUIRE(
        wire::write_agent_endpoint(run.agent_path(), support::agent_endpoint_of(run.id(), false)));
    CHECK(runs::agent_presence(run) == AgentPresence::kAlive);
  }
  CHECK(runs::agent_presence(run) == AgentPresence::kGone);
}

TEST_CASE(
    "R11: the agent of another machine is unknown, and another boot of this machine ended its "
    "agent") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-7f3a1c", {});
  auto endpoint = support::agent_endpoint_of(run.id(), true);
  endpoint.boot_id = "00000000-0000-0000-0000-000000000000";
  REQUIRE(wire::write_agent_endpoint(run.agent_path(), endpoint));
  CHECK(runs::agent_presence(run) == AgentPresence::kGone);
  endpoint.host += "-other";
  REQUIRE(wire::write_agent_endpoint(run.agent_path(), endpoint));
  CHECK(runs::agent_presence(run) == AgentPresence::kElsewhere);

  // A run that waits in an agent's queue on this machine may be silent for hours.
  CHECK_FALSE(runs::contact_lost(AgentPresence::kAlive, 500));
  CHECK_FALSE(runs::contact_lost(AgentPresence::kElsewhere, 89));
  CHECK(runs::contact_lost(AgentPresence::kElsewhere, 91));
  CHECK(shown_state({state_of(State::kTraining), AgentPresence::kElsewhere, 5}).word == "training");
  CHECK(shown_state({state_of(State::kTraining), AgentPresence::kElsewhere, 5}).live);
  const auto silent = shown_state({state_of(State::kTraining), AgentPresence::kElsewhere, 500});
  CHECK(silent.word == "lost contact");
  CHECK_FALSE(silent.live);
  CHECK_FALSE(silent.ended);
  CHECK(shown_state({state_of(State::kStopped), AgentPresence::kElsewhere, 500}).word == "stopped");
}

TEST_CASE("R11: a process with a reused pid is not taken for the agent") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-7f3a1c", {});
  CHECK(runs::agent_presence(run) == AgentPresence::kLeft);
  REQUIRE(wire::write_agent_endpoint(run.agent_path(), support::agent_endpoint_of(run.id(), true)));
  CHECK(runs::agent_presence(run) == AgentPresence::kAlive);
  REQUIRE(
      wire::write_agent_endpoint(run.agent_path(), support::agent_endpoint_of(run.id(), false)));
  CHECK(runs::agent_presence(run) == AgentPresence::kGone);
  REQUIRE(write_text_atomically(run.agent_path(), "not json"));
  CHECK(runs::agent_presence(run) == AgentPresence::kGone);
}
