#include "trainer/agent/unsent_records.h"

#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_file.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE("R8, R9: a disk that is full for a part of what a rank left costs nothing of it") {
  const TempFolder folder;
  constexpr std::uint64_t kSteps = 3000;  // several parts
  std::vector<std::byte> steps;
  std::vector<std::byte> goodbye;
  for (std::uint64_t seq = 0; seq < kSteps; ++seq)
    messages::append_record(steps, {0, 0, seq, 1}, messages::StepReport{});
  messages::append_record(goodbye, {0, 0, kSteps, 1}, messages::RankGoodbye{});
  const auto file = folder.path() / "unsent.log";
  const std::vector<std::span<const std::byte>> batches{steps};
  REQUIRE(runlog::write_unsent(file, {"run", 0, 0, 0, ""}, goodbye, batches));

  const support::FakeClock clock;
  const auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = runlog::LogWriter::open(support::open_memory_file(disk), {"run", 0, 1, 1, "boot"});
  REQUIRE(writer);
  agent::NodeLog log(std::move(*writer), 0, clock);
  const auto capacity = disk->capacity_bytes;
  disk->capacity_bytes = disk->bytes.size();
  int parts = 0;
  const auto make_room = [&](const auto&) {
    disk->capacity_bytes = capacity;
    ++parts;
  };
  CHECK(agent::take_unsent(file, {"run", 0, 0, 0}, log, make_room));
  CHECK(parts > 2);
  CHECK(log.problem().empty());
  CHECK(std::filesystem::exists(file));

  CHECK(agent::take_unsent(file, {"run", 0, 0, 0}, log, make_room));
  CHECK_FALSE(std::filesystem::exists(file));
  support::RecordList list;
  runlog::LogReader reader(support::open_memory_file(disk));
  REQUIRE(reader.poll(list));
  std::uint64_t next = 0;
  for (const auto& entry : list.entries) {
    if (entry.stamp.rank == 0) REQUIRE(entry.stamp.seq == next++);
  }
  CHECK(next == kSteps + 1);
}
