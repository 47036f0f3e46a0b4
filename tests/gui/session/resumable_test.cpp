// Whether a run can be resumed, with the same answer for the window and the command line.
#include "gui/session/resumable.h"

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

constexpr const char* kResumableId = "20261121T134005Z-000001";

runlog::RunFolder ended(const TempFolder& runs, messages::State state,
                        const messages::RunSpec& spec) {
  const auto folder = support::make_folder(runs.path(), kResumableId, spec);
  support::LogSink log(folder);
  messages::RankState record;
  record.state = state;
  log.accept({0, kNoRank, 0, 1}, record);
  return folder;
}

messages::RunSpec foreign() {
  messages::RunSpec spec;
  spec.program.argv = {"/bin/true"};
  return spec;
}

Result<void> asked(const TempFolder& runs) {
  return session::resumable(runs::read_summary({runlog::RunFolder(runs.path() / kResumableId)}));
}

bool refused(const TempFolder& runs, const std::string& because) {
  const auto answer = asked(runs);
  INFO((answer ? std::string("it may") : answer.error().message));
  CHECK(!answer);
  return !answer && answer.error().kind == ErrorKind::kRequest &&
         answer.error().message.find(because) != std::string::npos;
}

}  // namespace

TEST_CASE("a custom program that was stopped can be resumed, one that finished cannot") {
  const TempFolder stopped;
  ended(stopped, messages::State::kStopped, foreign());
  CHECK(asked(stopped));
  const TempFolder finished;
  ended(finished, messages::State::kFinished, foreign());
  CHECK(refused(finished, "nothing left to do"));
}

TEST_CASE("our trainer needs a checkpoint to resume from, and the files of its settings") {
  const TempFolder runs;
  messages::RunSpec spec;
  spec.data.root = runs.path().string();
  const auto folder = ended(runs, messages::State::kFailed, spec);
  CHECK(refused(runs, "has no checkpoint to resume from"));
  runs.write(std::string(kResumableId) + "/checkpoints/epoch_1.pt", "weights");
  // The trainer is searched for beside the running program, where this test has none.
  const auto answer = asked(runs);
  if (!answer) CHECK(answer.error().message.find("ringside-") != std::string::npos);
  spec.data.name = "mnist";
  (void)write_text_atomically(folder.spec_path(), messages::to_toml(spec));
  CHECK(refused(runs, "ringside data get mnist"));
}

TEST_CASE("an active or unreadable run is refused, and the error says what to do") {
  const TempFolder live;
  const auto folder = ended(live, messages::State::kTraining, foreign());
  REQUIRE(wire::write_agent_endpoint(folder.agent_path(),
                                     support::agent_endpoint_of(kResumableId, true)));
  CHECK(refused(live, "ringside stop"));
  const TempFolder broken;
  ended(broken, messages::State::kStopped, foreign());
  broken.write(std::string(kResumableId) + "/spec.toml", "nonsense = [");
  CHECK(refused(broken, "cannot be read"));
}

TEST_CASE("a run is resumed with other devices and limits, and with nothing else changed") {
  launch::Machine machine;
  machine.cores = 4;
  machine.gpus.resize(4);
  for (std::size_t i = 0; i < 4; ++i) machine.gpus[i].uuid = "GPU-" + std::to_string(i);
  messages::RunSpec spec;
  spec.devices.kind = "cuda";
  spec.devices.world_size = 4;
  spec.devices.ids = {"GPU-0", "GPU-1", "GPU-2", "GPU-3"};
  spec.batch.meaning = "per_rank";
  const auto one = session::resumed_spec(spec, {"devices.world_size=1"}, machine).value();
  CHECK(one.devices.world_size == 1);
  CHECK(one.devices.ids == std::vector<std::string>{"GPU-0"});
  const auto chosen =
      session::resumed_spec(spec, {"devices.world_size=1", "devices.ids=[\"GPU-2\"]"}, machine);
  CHECK(chosen->devices.ids == std::vector<std::string>{"GPU-2"});
  const auto cpu = session::resumed_spec(
      spec, {"devices.kind=cpu", "devices.world_size=2", "limits.restarts=2"}, machine);
  REQUIRE(cpu);
  CHECK(cpu->devices.ids.empty());
  CHECK(cpu->devices.threads == 2);
  CHECK(cpu->limits.restarts == 2);
  for (const char* wrong : {"train.epochs=9", "optimizer.lr=1", "devices.world_size=9",
                            "devices.world_sice=1", "devices.world_size=0"}) {
    const auto refused = session::resumed_spec(spec, {wrong}, machine);
    INFO(wrong);
    REQUIRE(!refused);
    CHECK(refused.error().kind == ErrorKind::kRequest);
  }
}
