// Telemetry of the real trainer when it is stopped early, fails, waits, or only draws samples.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "protocol/messages/records.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using messages::RankState;
using messages::State;
using testing::quick_spec;
using testing::start_rank;
using testing::start_ranks;
using wire::Batch;

namespace {

// An agent that only receives, in a run folder with a spec.
struct Rig {
  Rig(int ranks, const std::string& spec) : agent(ranks) {
    folder.write("spec.toml", spec);
    REQUIRE(
        wire::write_agent_endpoint(runlog::RunFolder(folder.path()).agent_path(), agent.endpoint));
  }
  support::RecordList records(Rank rank) const {
    support::RecordList list;
    messages::DecodeCounts counts;
    for (const auto& heard : agent.heard) {
      if (heard.rank == rank) messages::decode_records(heard.payload, list, counts);
    }
    return list;
  }
  template <class Body>
  std::vector<Body> all(Rank rank) const {
    std::vector<Body> found;
    for (const auto& entry : records(rank).entries) {
      if (const auto* body = std::get_if<Body>(&entry.record)) found.push_back(*body);
    }
    return found;
  }
  bool goodbyes(std::size_t count) {
    return agent.until([&] { return agent.heard_of(Batch::Kind::kGoodbye) >= count; });
  }
  TempFolder folder;
  wire::TestAgent agent;
};

}  // namespace

TEST_CASE("R7: a stop before training ends with a state, a goodbye and code 0") {
  const bool by_signal = GENERATE(true, false);
  Rig rig(2, quick_spec(2));
  // The other rank never joins, so this one waits in the rendezvous.
  auto rank = start_rank(rig.folder.path(), 0, 2, 0);
  const auto meeting = runlog::RunFolder(rig.folder.path()).rendezvous_path(0);
  REQUIRE(rig.agent.until([&] { return std::filesystem::exists(meeting); }));
  if (by_signal) {
    rank->signal(SIGTERM);
  } else {
    REQUIRE(rig.agent.until(
        [&] { return rig.agent.receiver->send_stop(0, wire::StopMode::kGraceful); }));
  }
  REQUIRE(rig.goodbyes(1));
  CHECK(rank->wait() == 0);
  const auto states = rig.all<RankState>(0);
  REQUIRE(states.size() == 1);
  CHECK(states[0].state == State::kStopped);
  CHECK(states[0].text == "stopped on request before training began");
  CHECK(rank->output().find("rank 0: stopped on request before training began") !=
        std::string::npos);
}

TEST_CASE("a rank whose group does not form ends in time and names the phase") {
  Rig rig(2, quick_spec(2, "[limits]\ncollective_timeout_s = 1\n"));
  // Opening it for writing waits for a reader, which no timeout of a store covers.
  const auto meeting = runlog::RunFolder(rig.folder.path()).rendezvous_path(0);
  std::filesystem::create_directories(meeting.parent_path());
  REQUIRE(::mkfifo(meeting.c_str(), 0600) == 0);
  auto rank = start_rank(rig.folder.path(), 1, 2, 0);
  REQUIRE(rig.goodbyes(1));
  CHECK(rank->wait() == 1);
  const auto states = rig.all<RankState>(1);
  REQUIRE(states.size() == 1);
  CHECK(states[0].state == State::kFailed);
  INFO(states[0].text);
  CHECK(states[0].text.find(
            "no end of \"the rendezvous\" within limits.collective_timeout_s (1 s)") !=
        std::string::npos);
  CHECK(states[0].last_collective == "the rendezvous");
  CHECK(rank->output().find("rank 1: the ranks did not come together") != std::string::npos);
}

TEST_CASE("R3, R4: a rank that fails reports the last collective that it entered") {
  Rig rig(2, quick_spec(2, "[train]\nepochs = 100000\n[limits]\ncollective_timeout_s = 2\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  REQUIRE(rig.agent.until([&] { return rig.all<messages::StepReport>(1).size() > 5; }));
  // The other rank dies, or only hangs.
  const int how = GENERATE(SIGKILL, SIGSTOP);
  ranks[1]->signal(how);
  REQUIRE(rig.agent.until([&] {
    const auto states = rig.all<RankState>(0);
    return !states.empty() && states.back().state == State::kFailed;
  }));
  const auto failed = rig.all<RankState>(0).back();
  CHECK(failed.last_step >= 0);
  const std::vector<std::string> known = {"gradient bucket exchange", "stop consensus",
                                          "broadcast of buffers", "sums over the ranks"};
  INFO(failed.last_collective);
  CHECK(std::count(known.begin(), known.end(), failed.last_collective) == 1);
  CHECK(failed.text.find(how == SIGKILL ? "another rank left" : "another rank did not answer") ==
        0);
  REQUIRE(rig.goodbyes(1));
  CHECK(ranks[0]->wait() == 1);
}

TEST_CASE("R4: a rank that cannot stop because another hangs reports where it waits") {
  Rig rig(2, quick_spec(2, "[train]\nepochs = 100000\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  REQUIRE(rig.agent.until([&] { return rig.all<messages::StepReport>(1).size() > 5; }));
  ranks[1]->signal(SIGSTOP);
  ranks[0]->signal(SIGTERM);
  CHECK(ranks[0]->says("rank 0: asked to stop and still busy; last collective entered: "));
  CHECK(ranks[0]->output().find("entered: none") == std::string::npos);
}

TEST_CASE("each rank reports the images per second that it trains") {
  Rig rig(2, quick_spec(2, "[train]\nepochs = 100000\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  const auto said = [&](Rank rank) {
    auto all = rig.all<messages::Scalar>(rank);
    std::erase_if(all, [](const messages::Scalar& one) { return one.name != "images_per_s"; });
    return all;
  };
  REQUIRE(rig.agent.until([&] { return said(0).size() > 1 && !said(1).empty(); }));
  for (const auto& scalar : said(0)) CHECK(scalar.value > 0);
  const auto steps = rig.all<messages::StepReport>(0);
  CHECK(said(0)[1].step > said(0)[0].step);
  // The ranks report at the same steps, so that their mean is that of one step.
  CHECK(said(1)[0].step == said(0)[0].step);
  CHECK(said(0)[1].step <= steps.back().step);
  for (auto& rank : ranks) rank->signal(SIGKILL);
}

TEST_CASE("each rank reports once the memory of its parameters, gradients and optimizer") {
  const bool adam = GENERATE(false, true);
  const std::string optimizer = adam ? "adam\"\nmomentum = 0" : "sgd\"\nmomentum = 0.9";
  Rig rig(2, quick_spec(2, "[train]\nepochs = 2\n[optimizer]\nname = \"" + optimizer + "\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  REQUIRE(rig.goodbyes(2));
  for (Rank rank = 0; rank < 2; ++rank) {
    std::map<std::string, std::vector<double>> said;
    for (const auto& scalar : rig.all<messages::Scalar>(rank)) {
      if (scalar.name.starts_with("memory/")) said[scalar.name].push_back(scalar.value);
    }
    const auto hello = rig.all<messages::RankHello>(rank).at(0);
    const double mib = 4.0 * static_cast<double>(hello.parameters) / (1024.0 * 1024.0);
    CHECK(said.size() == 3);
    CHECK(said["memory/parameters MiB"] == std::vector<double>{mib});
    CHECK(said["memory/gradients MiB"] == std::vector<double>{mib});
    CHECK(said["memory/optimizer MiB"] == std::vector<double>{adam ? 2 * mib : mib});
  }
}

TEST_CASE("each rank counts the operations of one step once if requested") {
  ::setenv("RINGSIDE_FLOPS", "1", 1);
  Rig rig(2, quick_spec(2, "[train]\nepochs = 2\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  ::unsetenv("RINGSIDE_FLOPS");
  REQUIRE(rig.goodbyes(2));
  for (Rank rank = 0; rank < 2; ++rank) {
    auto said = rig.all<messages::Scalar>(rank);
    std::erase_if(said,
                  [](const messages::Scalar& one) { return !one.name.starts_with("flops/"); });
    REQUIRE(said.size() == 1);
    CHECK(said[0].name == "flops/float32 per step");
    CHECK(said[0].step == 5);
    // At least two per parameter and sample, in forward and for the parameters' gradients.
    const auto hello = rig.all<messages::RankHello>(rank).at(0);
    const auto samples = rig.all<messages::StepReport>(rank).at(5).samples;
    CHECK_FALSE(hello.cpus.empty());
    CHECK(said[0].value > 4.0 * static_cast<double>(hello.parameters) * samples);
  }
}

TEST_CASE("while rank 0 saves the other ranks wait for it, and not in the gradients' all-reduce") {
  Rig rig(2, quick_spec(2,
                        "[train]\nepochs = 1\n[evaluate]\nmode = \"none\"\n"
                        "[checkpoint]\nevery_epochs = 0\nevery_steps = 5\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  REQUIRE(rig.goodbyes(2));
  std::int64_t began_ns = 0;
  double seconds = -1.0;
  for (const auto& [stamp, record] : rig.records(0).entries) {
    const auto* state = std::get_if<RankState>(&record);
    if (began_ns == 0 && state != nullptr && state->state == State::kSaving)
      began_ns = stamp.mono_ns;
    const auto* saved = std::get_if<messages::Checkpoint>(&record);
    if (seconds < 0 && saved != nullptr) seconds = saved->seconds;
  }
  REQUIRE(began_ns > 0);
  REQUIRE(seconds > 0);
  // The first report of rank 1 after its state "saving".
  std::int64_t went_on_ns = 0;
  bool saving = false;
  for (const auto& [stamp, record] : rig.records(1).entries) {
    if (saving && went_on_ns == 0) went_on_ns = stamp.mono_ns;
    const auto* state = std::get_if<RankState>(&record);
    saving = saving || (state != nullptr && state->state == State::kSaving);
  }
  CHECK(went_on_ns >= began_ns + static_cast<std::int64_t>(seconds * 1e9));
}

TEST_CASE("while rank 0 evaluates the other reports its idle time") {
  Rig rig(2, quick_spec(2, "[train]\nepochs = 1\n[evaluate]\nmode = \"rank0\"\n"));
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  REQUIRE(rig.goodbyes(2));
  for (Rank rank = 0; rank < 2; ++rank) {
    const auto passes = rig.all<messages::EpochReport>(rank);
    REQUIRE(passes.size() == 2);
    CHECK(passes[0].phase == messages::Phase::kTrain);
    CHECK(passes[0].idle_seconds == 0.0);
    CHECK(passes[1].phase == messages::Phase::kValidate);
    CHECK(passes[1].counted == (rank == 0 ? 100 : 0));
    CHECK((passes[1].idle_seconds > 0.0) == (rank == 1));
    CHECK(passes[1].idle_seconds <= passes[1].seconds);
  }
}

TEST_CASE("padded results come from every rank, and repeats are counted separately") {
  Rig rig(3, quick_spec(3, "[train]\nepochs = 1\n[evaluate]\nmode = \"padded\"\n"));
  auto ranks = start_ranks(rig.folder.path(), 3, 0);
  REQUIRE(rig.goodbyes(3));
  for (Rank rank = 0; rank < 3; ++rank) {
    const auto passes = rig.all<messages::EpochReport>(rank);
    REQUIRE(passes.size() == 2);
    // 640 samples on three ranks: 214 each, two of them repeats.
    CHECK(passes[0].counted == 214);
    CHECK(passes[0].padded == (rank == 0 ? 0 : 1));
    CHECK(passes[1].counted == 34);
    CHECK(passes[1].padded == (rank == 0 ? 0 : 1));
    CHECK(passes[1].padded_correct <= passes[1].padded);
    CHECK(passes[1].padded_correct <= passes[1].correct);
  }
}

TEST_CASE("ranks that only draw samples report their shards") {
  Rig rig(2,
          "[devices]\nkind = \"cpu\"\nworld_size = 2\n[model]\nname = \"none\"\n[data]\nname = "
          "\"integers\"\ntrain_samples = 8\n[batch]\nsize = 4\nmeaning = \"per_rank\"\n[train]\n"
          "epochs = 2\nseed = 7\n[sampler]\nseed = 0\n");
  auto ranks = start_ranks(rig.folder.path(), 2, 0);
  REQUIRE(rig.goodbyes(2));
  using Indices = std::vector<std::uint32_t>;
  const std::vector<std::vector<Indices>> grid = {{{4, 7, 2, 1}, {5, 2, 7, 1}},
                                                  {{0, 3, 5, 6}, {4, 6, 3, 0}}};
  for (Rank rank = 0; rank < 2; ++rank) {
    const auto shards = rig.all<messages::ShardReport>(rank);
    REQUIRE(shards.size() == 2);
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      CHECK(shards[epoch].epoch == static_cast<Epoch>(epoch));
      CHECK(shards[epoch].indices == grid[static_cast<std::size_t>(rank)][epoch]);
      CHECK(shards[epoch].dataset_size == 8);
      CHECK(shards[epoch].padded == 0);
    }
    CHECK(rig.all<messages::RankHello>(rank).size() == 1);
    CHECK(rig.all<RankState>(rank).back().state == State::kFinished);
    CHECK(rig.all<messages::EpochReport>(rank).empty());
  }
}

TEST_CASE("a checkpoint that cannot be written is a notice, and so is a resume with other ranks") {
  const TempFolder first;
  first.write("spec.toml", quick_spec(2, "[train]\nepochs = 1\n"));
  {
    auto ranks = start_ranks(first.path(), 2, 0);
    for (auto& rank : ranks) REQUIRE(rank->wait() == 0);
  }
  const auto saved = (first.path() / "checkpoints" / "epoch_001.pt").string();
  Rig rig(1, quick_spec(1, "[train]\nepochs = 2\n[checkpoint]\nresume = \"" + saved + "\"\n"));
  rig.folder.write("checkpoints", "a file where the folder should be");
  auto rank = start_rank(rig.folder.path(), 0, 1, 0);
  REQUIRE(rig.goodbyes(1));
  std::vector<std::string> codes;
  for (const auto& notice : rig.all<messages::Notice>(0)) codes.push_back(notice.code);
  CHECK(codes == std::vector<std::string>{"resumed", "resume_changed", "checkpoint_failed"});
  CHECK(rig.all<messages::Checkpoint>(0).empty());
  CHECK(rig.all<messages::RankHello>(0).at(0).first_step == 20);
  CHECK(rig.all<RankState>(0).back().state == State::kFinished);
}
