// The agent with our own trainer: real Gloo ranks on generated digits, ended in every way at
// critical moments.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "protocol/host/files.h"
#include "protocol/host/listening.h"
#include "protocol/runlog/log_reader.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

bool agent_trainer_have_trainer() {
  const char* set = std::getenv("RINGSIDE_TRAINER");
  const std::filesystem::path path =
      set != nullptr ? std::filesystem::path(set) : bin_dir() / "ringside-trainer";
  if (std::filesystem::exists(path)) return true;
  std::cout << "SKIPPED: " << path.string() << " was not built (RINGSIDE_TRAINER is OFF)\n";
  return false;
}

runlog::RunFolder agent_trainer_digits_run(AgentRig& rig, int ranks, int epochs) {
  return rig.make_run(ranks, {}, [&](messages::RunSpec& spec) {
    spec.program.argv.clear();
    spec.data.root = rig.path().string();
    spec.data.train_samples = 640;
    spec.data.test_samples = 128;
    spec.train.epochs = epochs;
    spec.limits.grace_s = 5;
    spec.devices.threads = 1;
  });
}

bool wait_for_rank_state(const runlog::RunFolder& run, State wanted) {
  return wait_until(30, [&] {
    for (const auto& state : all_of<messages::RankState>(records_of(run))) {
      if (state.about == 0 && state.state == wanted) return true;
    }
    return false;
  });
}

// Moments at which an end is difficult: before ranks exist, while they load, connect, step,
// evaluate, save.
const std::vector<std::pair<std::string, std::function<bool(const runlog::RunFolder&)>>> kMoments =
    {
        {"announced",
         [](const auto& run) {
           return wait_until(30, [&] { return std::filesystem::exists(run.agent_path()); });
         }},
        {"spawned",
         [](const auto& run) {
           return wait_until(
               30, [&] { return std::filesystem::exists(run.rank_dir(0, 1) / "stderr"); });
         }},
        {"hello", [](const auto& run) { return !rank_pids(run, 2).empty(); }},
        {"first step", [](const auto& run) { return wait_for_steps(run, 0, 1, 30); }},
        {"tenth step", [](const auto& run) { return wait_for_steps(run, 1, 10, 30); }},
        {"evaluating",
         [](const auto& run) { return wait_for_rank_state(run, State::kEvaluating); }},
        {"saving", [](const auto& run) { return wait_for_rank_state(run, State::kSaving); }},
};

// Running trainers; one that ended has no environment any more.
std::vector<pid_t> trainers_of(const runlog::RunFolder& run) {
  return processes_with("RINGSIDE_RUN_DIR=" + run.path().string());
}

void check_readable(const runlog::RunFolder& run) {
  support::RecordList list;
  const auto progress = runlog::read_log(run.log_path(0), list);
  REQUIRE(progress);
  CHECK(progress->skipped_bytes == 0);
  CHECK(progress->decoded.malformed == 0);
  CHECK(progress->lost_segments == 0);
}

// Checks that every sequence number of every rank is there once and in order up to the goodbye, and
// that the end is recorded.
void check_nothing_lost(const runlog::RunFolder& run, std::size_t steps_of_rank) {
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(last_state(run, kNoRank)->last_step == static_cast<Step>(steps_of_rank) - 1);
  const auto list = records_of(run);
  for (Rank rank = 0; rank < 2; ++rank) {
    std::uint64_t next = 0;
    std::size_t steps = 0;
    std::optional<messages::RankGoodbye> goodbye;
    for (const auto& entry : list.entries) {
      if (entry.stamp.rank != rank) continue;
      CHECK(entry.stamp.seq == next++);
      if (std::holds_alternative<messages::StepReport>(entry.record)) ++steps;
      if (const auto* said = std::get_if<messages::RankGoodbye>(&entry.record)) goodbye = *said;
    }
    CHECK(steps == steps_of_rank);
    REQUIRE(goodbye);
    CHECK(goodbye->dropped == 0);
    CHECK(goodbye->produced == static_cast<std::int64_t>(next));
  }
  check_readable(run);
}

}  // namespace

TEST_CASE("two Gloo ranks train to the end, and all of their records are in the log") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 2);
  CHECK(rig.run({run}, 50) == 0);
  INFO(text_of(run.rank_dir(0, 0) / "stderr"));
  check_nothing_lost(run, 20);
}

TEST_CASE("S1: an agent and two training ranks listen only on loopback") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 1000);
  const pid_t agent = rig.start({run});
  const auto ranks = rank_pids(run, 2);
  REQUIRE(wait_for_steps(run, 0, 3, 30));
  std::size_t found = 0;
  for (const pid_t pid : {agent, ranks.at(0), ranks.at(1)}) {
    for (const Listener& one : listeners_of(pid)) {
      INFO("process " << pid << " listens on " << one.address);
      CHECK(is_loopback(one.address));
      ++found;
    }
  }
  CHECK(found >= 2 + 2);  // two of the agent, and Gloo's of each rank
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 20) == 0);
}

TEST_CASE(
    "R8: an agent that was paused until its ranks ended gets all of their records when it "
    "resumes") {
  if (!agent_trainer_have_trainer()) return;
  const auto moment = GENERATE(from_range(kMoments));
  if (moment.first == "announced") return;  // the ranks would never be started
  INFO(moment.first);
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 3);
  const pid_t agent = rig.start({run});
  REQUIRE(moment.second(run));
  if (moment.first == "spawned")
    REQUIRE(wait_until(10, [&] { return trainers_of(run).size() == 2; }));
  ::kill(agent, SIGSTOP);
  REQUIRE(wait_until(30, [&] { return trainers_of(run).empty(); }));
  ::kill(agent, SIGCONT);
  CHECK(rig.wait_exit(agent, 10) == 0);
  INFO(text_of(run.rank_dir(0, 0) / "stderr"));
  check_nothing_lost(run, 30);
  CHECK_FALSE(notice_with(run, "no_goodbye"));
  for (Rank rank = 0; rank < 2; ++rank)
    CHECK_FALSE(std::filesystem::exists(run.unsent_path(0, rank)));
}

TEST_CASE("R8: records that neither arrived nor could be saved are counted as lost") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 3);
  const pid_t agent = rig.start({run});
  REQUIRE(wait_until(30, [&] { return trainers_of(run).size() == 2; }));
  ::kill(agent, SIGSTOP);
  REQUIRE(wait_until(30, [&] { return trainers_of(run).empty(); }));
  // The file of rank 0 is cut off in its first batch, and that of rank 1 is missing.
  std::filesystem::resize_file(run.unsent_path(0, 0), runlog::kFileHeaderBytes + 300);
  std::filesystem::remove(run.unsent_path(0, 1));
  ::kill(agent, SIGCONT);
  CHECK(rig.wait_exit(agent, 10) == 0);
  std::int64_t received = 0;
  std::optional<messages::RankGoodbye> goodbye;
  for (const auto& entry : records_of(run).entries) {
    CHECK(entry.stamp.rank != 1);
    received += entry.stamp.rank == 0 ? 1 : 0;
    if (const auto* said = std::get_if<messages::RankGoodbye>(&entry.record)) goodbye = *said;
  }
  REQUIRE(goodbye);
  CHECK(received < goodbye->produced);
  CHECK(notice_with(run, "unsent_records")->severity == messages::Severity::kWarning);
  CHECK(notice_with(run, "no_goodbye")->text ==
        "rank 1 ended without its goodbye: its telemetry is missing");
}

TEST_CASE("R5: a run whose rank was killed continues from its checkpoint by itself") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  constexpr int kEpochs = 40;
  const auto made = agent_trainer_digits_run(rig, 2, kEpochs);
  auto spec = messages::parse_run_spec(text_of(made.spec_path()), "spec");
  REQUIRE(spec);
  spec->limits.restarts = 1;
  std::ofstream(made.spec_path()) << messages::to_toml(*spec);
  const pid_t agent = rig.start({made});
  const auto ranks = rank_pids(made, 2);
  REQUIRE(wait_until(30, [&] { return !all_of<messages::Checkpoint>(records_of(made)).empty(); }));
  REQUIRE(::kill(ranks[1], SIGKILL) == 0);
  CHECK(rig.wait_exit(agent, 120) == 0);
  INFO(text_of(made.rank_dir(1, 0) / "stderr"));
  CHECK(last_state(made, kNoRank)->state == State::kFinished);
  CHECK(last_state(made, kNoRank)->attempt == 1);
  CHECK(last_state(made, kNoRank)->last_step == kEpochs * 10 - 1);
  CHECK(notice_with(made, "restart")->text.find("rank 1: killed by SIGKILL") != std::string::npos);
  int again = 0;
  for (const auto& hello : all_of<messages::RankHello>(records_of(made))) {
    if (hello.attempt == 0) continue;
    ++again;
    CHECK(hello.first_step >= 10);  // an epoch was saved
  }
  CHECK(again == 2);
  check_readable(made);
}

TEST_CASE("R1, R7: Ctrl-C at any moment leaves no process, a correct state and a readable log") {
  if (!agent_trainer_have_trainer()) return;
  const auto moment = GENERATE(from_range(kMoments));
  INFO(moment.first);
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 50);
  const pid_t agent = rig.start({run});
  REQUIRE(moment.second(run));
  ::kill(agent, SIGINT);
  const auto ended = rig.wait_exit(agent, 20);
  INFO(text_of(run.rank_dir(0, 0) / "stderr") + text_of(run.rank_dir(0, 1) / "stderr"));
  REQUIRE(ended);
  CHECK(*ended == 0);
  CHECK(processes_with(run.path().string()).empty());
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
  check_readable(run);
}

TEST_CASE("R1: KILL of the agent at any moment leaves no process and a readable log") {
  if (!agent_trainer_have_trainer()) return;
  const auto moment = GENERATE(from_range(kMoments));
  INFO(moment.first);
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 50);
  const pid_t agent = rig.start({run});
  REQUIRE(moment.second(run));
  ::kill(agent, SIGKILL);
  CHECK(rig.wait_exit(agent, 5) == -SIGKILL);
  CHECK(wait_until(5, [&] { return processes_with(run.path().string()).empty(); }));
  check_readable(run);
}

TEST_CASE("R3: a killed Gloo rank is named as the root cause, and its peers are not") {
  if (!agent_trainer_have_trainer()) return;
  const std::size_t dead = GENERATE(0U, 1U, 2U);
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 3, 50);
  const pid_t agent = rig.start({run});
  const auto ranks = rank_pids(run, 3);
  REQUIRE(wait_for_steps(run, 0, 5, 30));
  ::kill(ranks[dead], SIGKILL);
  CHECK(rig.wait_exit(agent, 15) == 1);
  const auto verdict = last_state(run, kNoRank);
  CHECK(verdict->state == State::kFailed);
  CHECK(verdict->text.find("rank " + std::to_string(dead) + ": killed by SIGKILL") == 0);
  CHECK(processes_with(run.path().string()).empty());
  check_readable(run);
}

TEST_CASE("R3: ranks that cannot find their data are quoted in the verdict") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = rig.make_run(2, {}, [&](messages::RunSpec& spec) {
    spec.program.argv.clear();
    spec.data.name = "mnist";
    spec.data.root = (rig.path() / "nothing-here").string();
  });
  CHECK(rig.run({run}, 30) == 1);
  CHECK(last_state(run, kNoRank)->state == State::kFailed);
  CHECK(last_state(run, kNoRank)->text.find("nothing-here") != std::string::npos);
}

TEST_CASE("R4: a rank that is paused at its start is named, not the one that waits for it") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 1);
  {
    auto spec = messages::parse_run_spec(text_of(run.spec_path()), "test");
    REQUIRE(spec);
    spec->limits.stall_s = 10;
    spec->limits.collective_timeout_s = 15;
    REQUIRE(write_text_atomically(run.spec_path(), messages::to_toml(*spec)));
  }
  const pid_t agent = rig.start({run});
  std::vector<pid_t> first;
  REQUIRE(wait_until(10, [&] {
    first = processes_with((run.rank_dir(0, 0) / "error.json").string());
    return !first.empty();
  }));
  ::kill(first[0], SIGSTOP);
  REQUIRE(wait_until(5, [&] { return notice_with(run, "rank_stopped").has_value(); }));
  CHECK(notice_with(run, "rank_stopped")->text.find("rank 0 does not run, ") == 0);
  CHECK(notice_with(run, "rank_stopped")->text.find("not arrived") != std::string::npos);
  CHECK(rig.wait_exit(agent, 30) == 1);
  const auto end = last_state(run, kNoRank);
  INFO(end->text);
  CHECK(end->state == State::kFailed);
  CHECK(end->text.find("; before that: rank 0 does not run") != std::string::npos);
  CHECK_FALSE(notice_with(run, "stall"));
}

TEST_CASE("R7: a stop that cannot save a checkpoint ends as failed, with the reason") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = agent_trainer_digits_run(rig, 2, 1000);
  std::ofstream(run.path() / "checkpoints") << "a file where the folder should be";
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 3, 30));
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 20) == 1);
  const auto end = last_state(run, kNoRank);
  INFO(end->text);
  CHECK(end->state == State::kFailed);
  CHECK(end->text.find("and nothing was saved: cannot make the folder") != std::string::npos);
  check_readable(run);
}

TEST_CASE("R7: a stopped run has a checkpoint, and resumes from it in the same folder") {
  if (!agent_trainer_have_trainer()) return;
  AgentRig rig;
  constexpr int kEpochs = 12;  // so that it is not over before it is stopped
  const auto run = agent_trainer_digits_run(rig, 2, kEpochs);
  {
    auto text = text_of(run.spec_path());
    auto spec = messages::parse_run_spec(text, "test");
    REQUIRE(spec);
    spec->checkpoint.resume = "auto";
    REQUIRE(write_text_atomically(run.spec_path(), messages::to_toml(*spec)));
  }
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 3, 30));
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 20) == 0);
  REQUIRE(last_state(run, kNoRank)->state == State::kStopped);
  CHECK_FALSE(all_of<messages::Checkpoint>(records_of(run)).empty());
  CHECK(rig.run({run}, 50) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(last_state(run, kNoRank)->last_step == kEpochs * 10 - 1);
  Step first_again = -1;
  for (const auto& hello : all_of<messages::RankHello>(records_of(run))) {
    if (hello.attempt == 1) first_again = hello.first_step;
  }
  CHECK(first_again > 0);
}
