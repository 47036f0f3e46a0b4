#include "trainer/agent/unsent_records.h"

#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_file.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

// The notices of an agent that opens a folder in which only `say` was logged of attempt 0.
std::vector<messages::Notice> found_after(const std::function<void(agent::NodeLog&)>& say) {
  const TempFolder folder;
  const runlog::RunFolder run(folder.path());
  const support::FakeClock clock;
  {
    auto first = agent::NodeLog::open(run, 0, clock);
    REQUIRE(first);
    say(*first);
    first->close();
  }
  auto log = agent::NodeLog::open(run, 0, clock);
  REQUIRE(log);
  agent::take_unsent_of_attempt(run, 0, 0, {0, 64}, *log);
  log->close();
  support::RecordList list;
  REQUIRE(runlog::read_log(run.log_path(0), list));
  std::vector<messages::Notice> notices;
  for (const auto& entry : list.entries) {
    if (const auto* notice = std::get_if<messages::Notice>(&entry.record))
      notices.push_back(*notice);
  }
  return notices;
}

template <class Body>
void said_by(agent::NodeLog& log, Rank rank, std::uint64_t seq, const Body& body) {
  std::vector<std::byte> bytes;
  messages::append_record(bytes, {0, rank, seq, 1}, body);
  log.append_batch(bytes, 1);
}

messages::RankState state_of(Rank rank, messages::State state) {
  messages::RankState record;
  record.about = rank;
  record.state = state;
  return record;
}

}  // namespace

TEST_CASE("R8: the next agent reports when the end of an attempt is missing") {
  const auto cut_off = found_after([](agent::NodeLog& log) {
    for (const Rank rank : {0, 1}) said_by(log, rank, 0, messages::RankHello{});
    for (std::uint64_t seq = 1; seq <= 8; ++seq) {
      messages::StepReport step;
      step.step = static_cast<Step>(seq) - 1;
      said_by(log, 1, seq, step);
    }
    log.post(state_of(0, messages::State::kTraining));
  });
  REQUIRE(cut_off.size() == 1);
  CHECK(cut_off[0].code == "end_unknown");
  CHECK(cut_off[0].severity == messages::Severity::kWarning);
  CHECK(cut_off[0].text.find("2 ranks could not say goodbye") != std::string::npos);
  CHECK(cut_off[0].text.find("after step 8 is missing") != std::string::npos);
}

TEST_CASE("R8: nothing is reported for ranks that sent a goodbye or whose end was logged") {
  const auto notices = found_after([](agent::NodeLog& log) {
    for (const Rank rank : {0, 1, 2}) said_by(log, rank, 0, messages::RankHello{});
    said_by(log, 0, 1, messages::RankGoodbye{});
    log.post(state_of(1, messages::State::kFailed));
    log.post(state_of(2, messages::State::kTraining));
    log.post(state_of(2, messages::State::kStopped));
  });
  CHECK(notices.empty());
  CHECK(found_after([](agent::NodeLog&) {}).empty());  // programs without telemetry
}

TEST_CASE("R8, R9: a disk that is full during part of a rank's unsent records loses none of them") {
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
