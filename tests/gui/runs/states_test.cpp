// R11: the table of gui/runs/STATES.md, row by row, with real locks, processes and files.
#include <filesystem>
#include <optional>

#include "gui/runs/catalogue.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/copy_mark.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using messages::State;

namespace {

constexpr const char* kStatesId = "20261121T134005Z-7f3a1c";

enum class Card {
  kNone,
  kOfLivingProcess,
  kOfDeadProcess,
  kOfEarlierBoot,
  kOfOtherHost,
  kBroken,
  kCopied
};

struct Row {
  const char* name;
  bool locked;
  Card card;
  std::optional<State> recorded;  ///< nothing: the log has no state
  double age_s;                   ///< age of the newest record
  const char* word;
  bool live;
  bool ended;
};

void write_card(const runlog::RunFolder& run, Card card) {
  if (card == Card::kNone) return;
  if (card == Card::kCopied) {
    REQUIRE(runlog::mark_copy(run, {"ssh://box", {0}}));
    return;
  }
  auto endpoint = support::agent_endpoint_of(run.id(), card != Card::kOfDeadProcess);
  if (card == Card::kOfEarlierBoot || card == Card::kOfOtherHost)
    endpoint.boot_id = "00000000-0000-0000-0000-000000000000";
  if (card == Card::kOfOtherHost) endpoint.host += "-other";
  REQUIRE(wire::write_agent_endpoint(run.agent_path(), endpoint));
  if (card == Card::kBroken) REQUIRE(write_text_atomically(run.agent_path(), "not json"));
}

void write_log(const runlog::RunFolder& run, const Row& row) {
  const auto age_ns = static_cast<std::int64_t>(row.age_s * 1e9);
  support::LogSink sink(run, SystemClock().wall_ns() - age_ns, 1'000'000'000);
  messages::RankState state;
  if (row.recorded) state.state = *row.recorded;
  if (row.recorded) sink.accept({0, kNoRank, 0, 1'000'000'000}, state);
  if (!row.recorded) sink.accept({0, kNoRank, 0, 1'000'000'000}, messages::HostSample{});
}

const Row kRows[] = {
    {"final: finished", false, Card::kNone, State::kFinished, 9, "finished", false, true},
    {"final: failed, the agent goes on with another run", false, Card::kOfLivingProcess,
     State::kFailed, 9, "failed", false, true},
    {"final: stopped, elsewhere", false, Card::kOfOtherHost, State::kStopped, 999, "stopped", false,
     true},
    {"final: did not die, the agent was killed", false, Card::kOfDeadProcess, State::kDidNotDie, 9,
     "did_not_die", false, true},
    {"locked, queued", true, Card::kOfLivingProcess, State::kQueued, 999, "queued", true, false},
    {"locked, from another PID namespace", true, Card::kOfDeadProcess, State::kTraining, 1,
     "training", true, false},
    {"locked, agent.json is gone", true, Card::kNone, State::kEvaluating, 1, "evaluating", true,
     false},
    {"locked, agent.json is broken", true, Card::kBroken, State::kSaving, 1, "saving", true, false},
    {"locked, on another host", true, Card::kOfOtherHost, State::kStopping, 999, "stopping", true,
     false},
    {"locked, nothing recorded yet", true, Card::kNone, std::nullopt, 1, "starting", true, false},
    {"the lock file was deleted", false, Card::kOfLivingProcess, State::kTraining, 1, "training",
     true, false},
    {"killed", false, Card::kOfDeadProcess, State::kTraining, 1, "interrupted", false, true},
    {"killed, agent.json is broken", false, Card::kBroken, State::kTraining, 1, "interrupted",
     false, true},
    {"the machine was started again", false, Card::kOfEarlierBoot, State::kTraining, 1,
     "interrupted", false, true},
    {"a copy without agent.json", false, Card::kNone, State::kTraining, 1, "interrupted", false,
     true},
    {"a log without a state", false, Card::kNone, std::nullopt, 1, "interrupted", false, true},
    {"on another host, of just now", false, Card::kOfOtherHost, State::kTraining, 1, "training",
     true, false},
    {"a copy of a live run, come just now", false, Card::kCopied, State::kTraining, 999, "training",
     true, false},
    {"a copy of a live run, final", false, Card::kCopied, State::kFailed, 999, "failed", false,
     true},
    {"on another host, silent", false, Card::kOfOtherHost, State::kTraining, 999, "lost contact",
     false, false},
};

}  // namespace

TEST_CASE("R11: every state of a run follows from the contents of its folder") {
  for (const Row& row : kRows) {
    INFO(row.name);
    const TempFolder folder;
    const auto run = support::make_folder(folder.path(), kStatesId, {});
    write_log(run, row);
    write_card(run, row.card);
    std::optional<Result<runlog::FolderLock>> lock;
    if (row.locked) lock.emplace(runlog::FolderLock::take(run));
    const auto state = runs::read_summary({run, 1}).state;
    CHECK(state.word == row.word);
    CHECK(state.live == row.live);
    CHECK(state.ended == row.ended);
    CHECK(state.detail.find("never started") == std::string::npos);
  }
}

TEST_CASE("R11: an agent counts as never started only if it has left nothing") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), kStatesId, {});
  CHECK(runs::read_summary({run, 1}).state.detail.find("never started") != std::string::npos);
  { const support::LogSink log(run); }
  CHECK(runs::read_summary({run, 1}).state.detail.find("never started") == std::string::npos);
  std::filesystem::remove_all(run.path());
  CHECK(runs::read_summary({run, 1}).state.detail == "its run folder is gone");
}
