#include "trainer/agent/nodes/node_log.h"

#include <limits>
#include <optional>

#include "protocol/runlog/log_reader.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_file.h"
#include "tests/support/record_list.h"

using namespace ringside;
using namespace ringside::agent;
using messages::Notice;
using messages::RankState;
using messages::State;

namespace {

constexpr std::int64_t kNodeLogSecond = 1'000'000'000;

struct NodeLogRig {
  NodeLogRig() {
    auto writer =
        runlog::LogWriter::open(support::open_memory_file(disk), {"run", 0, 1, 1, "boot"});
    REQUIRE(writer);
    log.emplace(std::move(*writer), 0, clock);
  }
  support::RecordList read() {
    support::RecordList list;
    runlog::LogReader reader(support::open_memory_file(disk));
    REQUIRE(reader.poll(list));
    return list;
  }
  void batch(std::uint64_t seq) {
    std::vector<std::byte> bytes;
    messages::append_record(bytes, {0, 1, seq, 0}, messages::StepReport{});
    log->append_batch(bytes, 1);
  }
  void large_batch(std::uint64_t first_seq) {
    std::vector<std::byte> bytes;
    for (std::uint64_t i = 0; i < 100; ++i)
      messages::append_record(bytes, {0, 1, first_seq + i, 0}, messages::StepReport{});
    log->append_batch(bytes, 100);
  }
  void fill_disk() { disk->capacity_bytes = disk->bytes.size(); }
  void free_disk() { disk->capacity_bytes = std::numeric_limits<std::uint64_t>::max(); }

  support::FakeClock clock;
  std::shared_ptr<support::MemoryDisk> disk = std::make_shared<support::MemoryDisk>();
  std::optional<NodeLog> log;
};

}  // namespace

TEST_CASE("the agent's records are numbered and stamped, and batches are appended unchanged") {
  NodeLogRig rig;
  rig.clock.set(5 * kNodeLogSecond, 0);
  rig.log->post(Notice{messages::Severity::kInfo, "a", "b"});
  rig.batch(17);
  rig.log->post_at(messages::HostSample{}, 4 * kNodeLogSecond);
  const auto list = rig.read();
  REQUIRE(list.entries.size() == 3);
  CHECK(list.entries[0].stamp == messages::Stamp{0, kNoRank, 0, 5 * kNodeLogSecond});
  CHECK(list.entries[1].stamp == messages::Stamp{0, 1, 17, 0});
  CHECK(list.entries[2].stamp == messages::Stamp{0, kNoRank, 1, 4 * kNodeLogSecond});
}

TEST_CASE(
    "R9: a full disk loses records, which are counted and reported when there is space again") {
  NodeLogRig rig;
  rig.batch(0);
  rig.fill_disk();
  rig.clock.set(10 * kNodeLogSecond, 0);
  for (std::uint64_t seq = 1; seq <= 5; ++seq) rig.batch(seq);
  CHECK_FALSE(rig.log->problem().empty());
  CHECK(rig.read().entries.size() == 1);
  rig.clock.set(14 * kNodeLogSecond, 0);
  rig.free_disk();
  rig.batch(6);
  CHECK(rig.log->problem().empty());
  const auto list = rig.read();
  REQUIRE(list.entries.size() == 3);
  const auto& notice = list.body<Notice>(1);
  CHECK(notice.code == "log_gap");
  CHECK(notice.text.find("could not be written for 4.0 s: 5 records") != std::string::npos);
  CHECK(list.entries[2].stamp.seq == 6);
}

TEST_CASE(
    "R9: a disk with room for a notice but not for a batch gets one notice, not one per batch") {
  NodeLogRig rig;
  rig.fill_disk();
  rig.large_batch(0);
  rig.disk->capacity_bytes += 1000;
  for (std::uint64_t seq = 100; seq < 1000; seq += 100) rig.large_batch(seq);
  CHECK(rig.read().entries.empty());
  rig.free_disk();
  rig.large_batch(1000);
  const auto list = rig.read();
  REQUIRE(list.entries.size() == 101);
  CHECK(list.body<Notice>(0).text.find("1000 records") != std::string::npos);
}

TEST_CASE(
    "R9: states that could not be written are written when there is space, even without new "
    "records") {
  NodeLogRig rig;
  rig.fill_disk();
  RankState state;
  state.state = State::kFailed;
  state.text = "rank 0: exit code 3";
  rig.log->post(state);
  rig.log->post(messages::HostSample{});
  rig.log->tick();
  CHECK(rig.read().entries.empty());
  rig.free_disk();
  rig.log->tick();
  const auto list = rig.read();
  REQUIRE(list.entries.size() == 2);
  CHECK(list.body<Notice>(0).text.find(": 1 record") != std::string::npos);
  CHECK(list.body<RankState>(1).text == "rank 0: exit code 3");
}

TEST_CASE(
    "R8, R9: a goodbye that could not be written is written later, so that missing records can be "
    "counted") {
  NodeLogRig rig;
  rig.batch(0);
  rig.fill_disk();
  std::vector<std::byte> bytes;
  messages::append_record(bytes, {0, 1, 40, 0}, messages::StepReport{});
  messages::append_record(bytes, {0, 1, 41, 0}, messages::RankGoodbye{});
  rig.log->append_batch(bytes, 2);
  rig.log->tick();
  rig.free_disk();
  rig.log->close();
  const auto list = rig.read();
  REQUIRE(list.entries.size() == 3);
  CHECK(list.body<Notice>(1).text.find(": 1 record") != std::string::npos);
  CHECK(list.entries[2].stamp == messages::Stamp{0, 1, 41, 0});
  CHECK(std::holds_alternative<messages::RankGoodbye>(list.entries[2].record));
}

TEST_CASE("the log is synced only if something was written") {
  NodeLogRig rig;
  rig.batch(0);
  const int before = rig.disk->syncs;
  rig.log->tick();
  CHECK(rig.disk->syncs == before + 1);
  rig.log->tick();
  CHECK(rig.disk->syncs == before + 1);
}
