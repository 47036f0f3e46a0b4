#include "protocol/runlog/log_writer.h"

#include "protocol/host/files.h"
#include "tests/protocol/runlog/log_of_records.h"
#include "tests/support/catch.h"

namespace ringside::runlog {
namespace {

using support::open_memory_file;
using support::RecordList;

RecordList read_all(const std::shared_ptr<support::MemoryDisk>& disk, LogProgress& progress) {
  RecordList sink;
  const auto got = LogReader(open_memory_file(disk)).poll(sink);
  REQUIRE(got);
  progress = *got;
  return sink;
}

TEST_CASE("records of every type are read back from the log") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  std::vector<std::byte> payload;
  const auto records = support::one_of_each();
  for (std::size_t i = 0; i < records.size(); ++i)
    messages::append_any_record(payload, stamp_of(i), records[i]);
  REQUIRE(writer->append(payload, records.size()));
  CHECK(writer->end_bytes() == disk->bytes.size());
  LogProgress progress;
  const RecordList back = read_all(disk, progress);
  REQUIRE(back.entries.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(back.entries[i].stamp == stamp_of(i));
    CHECK(support::same_record(back.entries[i].record, records[i]));
  }
}

TEST_CASE("on a full disk payloads are lost and counted, and writing resumes when there is space") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  REQUIRE(writer->append(steps(0, 2), 2));
  const std::uint64_t good = writer->end_bytes();
  disk->capacity_bytes = good + 100;
  for (std::uint64_t i = 1; i <= 3; ++i) CHECK_FALSE(writer->append(steps(2 * i, 2), 2));
  CHECK(disk->bytes.size() == good);
  CHECK(writer->end_bytes() == good);
  CHECK(writer->losses() == WriteLosses{3, 6, 3 * steps(0, 2).size()});
  disk->capacity_bytes = 1'000'000;
  REQUIRE(writer->append(steps(8, 2), 2));
  LogProgress progress;
  const RecordList back = read_all(disk, progress);
  REQUIRE(back.entries.size() == 4);
  CHECK(back.entries[2].stamp.seq == 8);
  CHECK(progress.lost_segments == 3);
  CHECK(progress.skipped_bytes == 0);
}

TEST_CASE("remains of a failed write that cannot be truncated are skipped by readers") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  REQUIRE(writer->append(steps(0, 1), 1));
  disk->capacity_bytes = writer->end_bytes() + 50;
  disk->truncate_fails = true;
  CHECK_FALSE(writer->append(steps(1, 1), 1));
  disk->capacity_bytes = 1'000'000;
  REQUIRE(writer->append(steps(2, 1), 1));
  CHECK(writer->end_bytes() == disk->bytes.size());
  REQUIRE(writer->append(steps(3, 1), 1));
  LogProgress progress;
  const RecordList back = read_all(disk, progress);
  CHECK(back.entries.size() == 3);
  CHECK(progress.skipped_bytes == 50);
  CHECK(progress.lost_segments == 1);
}

TEST_CASE("on a full disk the header is written later") {
  auto disk = std::make_shared<support::MemoryDisk>();
  disk->capacity_bytes = 60;
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  CHECK_FALSE(writer->append(steps(0, 1), 1));
  CHECK(disk->bytes.empty());
  disk->capacity_bytes = 1'000'000;
  REQUIRE(writer->append(steps(1, 1), 1));
  LogProgress progress;
  CHECK(read_all(disk, progress).entries.size() == 1);
  CHECK_FALSE(progress.header_damaged);
  CHECK(progress.lost_segments == 1);
}

TEST_CASE("a device that accepts no bytes causes an error each time and nothing else") {
  auto file = open_file("/dev/full", OpenMode::kAppend);
  REQUIRE(file);
  auto writer = LogWriter::open(std::move(*file), identity_of_tests());
  REQUIRE(writer);
  for (int i = 0; i < 5; ++i) {
    const auto written = writer->append(steps(0, 3), 3);
    REQUIRE_FALSE(written);
    CHECK(written.error().message.find("/dev/full") != std::string::npos);
  }
  CHECK(writer->losses().payloads == 5);
  CHECK(writer->losses().records == 15);
  CHECK(writer->end_bytes() == 0);
}

TEST_CASE("a payload larger than a segment is refused") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  const std::uint64_t before = writer->end_bytes();
  CHECK_FALSE(writer->append({}, 0));
  CHECK_FALSE(writer->append(std::vector<std::byte>(kMaxPayloadBytes + 1), 1));
  CHECK(writer->end_bytes() == before);
  CHECK(writer->losses().payloads == 2);
}

TEST_CASE(
    "a second writer continues after the last whole segment, wherever the first one stopped") {
  const MadeLog log = make_log(3, 2);
  const auto whole = log.disk->bytes;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    auto disk = std::make_shared<support::MemoryDisk>();
    disk->bytes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
    auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
    REQUIRE(writer);
    REQUIRE(writer->append(steps(100, 1), 1));
    RecordList sink;
    LogReader reader(open_memory_file(disk));
    const auto progress = reader.poll(sink);
    REQUIRE(progress);
    std::size_t kept = 0;
    while (kept < log.ends.size() && log.ends[kept] <= cut) ++kept;
    REQUIRE(sink.entries.size() == kept * 2 + 1);
    REQUIRE(sink.entries.back().stamp.seq == 100);
    REQUIRE(progress->skipped_bytes == 0);
    REQUIRE(progress->lost_segments == 0);
    REQUIRE(reader.identity() == identity_of_tests());
    REQUIRE(writer->end_bytes() == disk->bytes.size());
  }
}

TEST_CASE("sync is passed on to the device") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  REQUIRE(writer->sync());
  CHECK(disk->syncs == 1);
}

}  // namespace
}  // namespace ringside::runlog
