#include <algorithm>

#include "protocol/host/files.h"
#include "tests/protocol/runlog/log_of_records.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {
namespace {

using support::open_memory_file;
using support::RecordList;

TEST_CASE("a reader follows a file that grows byte by byte and sees each record once") {
  const MadeLog log = make_log(6, 3);
  auto growing = std::make_shared<support::MemoryDisk>();
  LogReader reader(open_memory_file(growing));
  RecordList sink;
  for (const std::byte b : log.disk->bytes) {
    growing->bytes.push_back(b);
    const auto progress = reader.poll(sink);
    REQUIRE(progress);
    REQUIRE(progress->at_end);
    REQUIRE(progress->consumed_bytes + progress->tail_bytes == growing->bytes.size());
  }
  REQUIRE(sink.entries.size() == 18);
  for (std::size_t i = 0; i < sink.entries.size(); ++i) CHECK(sink.entries[i].stamp.seq == i);
}

TEST_CASE("a torn tail that the writer replaces is read in its new form") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  REQUIRE(writer->append(steps(0, 1), 1));
  LogReader reader(open_memory_file(disk));
  RecordList sink;
  // Half a segment exists for a moment, as a reader may see it while a write fails.
  const auto good = disk->bytes;
  disk->bytes.insert(disk->bytes.end(), good.begin() + kFileHeaderBytes, good.end() - 5);
  const auto torn = reader.poll(sink);
  REQUIRE(torn);
  CHECK(torn->tail_bytes == good.size() - kFileHeaderBytes - 5);
  disk->bytes = good;
  REQUIRE(writer->append(steps(1, 5), 5));
  const auto after = reader.poll(sink);
  REQUIRE(after);
  CHECK(after->tail_bytes == 0);
  CHECK(after->skipped_bytes == 0);
  CHECK(sink.entries.size() == 6);
}

TEST_CASE("a byte limit stops a poll, and the next one continues, even within a large segment") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  REQUIRE(writer->append(steps(0, 15'000), 15'000));  // about 1.9 MB in one segment
  REQUIRE(writer->append(steps(15'000, 100), 100));
  LogReader reader(open_memory_file(disk));
  RecordList sink;
  int polls = 0;
  bool done = false;
  while (!done && polls < 100) {
    const auto progress = reader.poll(sink, 1);
    REQUIRE(progress);
    done = progress->at_end;
    ++polls;
  }
  CHECK(polls > 5);
  CHECK(sink.entries.size() == 15'100);
}

TEST_CASE("polling an unchanged log reads nothing and changes nothing") {
  const MadeLog log = make_log(3, 1);
  LogReader reader(open_memory_file(log.disk));
  RecordList sink;
  const auto first = reader.poll(sink);
  REQUIRE(first);
  log.disk->read_fails = true;
  const auto second = reader.poll(sink);
  REQUIRE(second);
  CHECK(second->consumed_bytes == first->consumed_bytes);
  CHECK(sink.entries.size() == 3);
}

TEST_CASE("a read error is returned, and later polls continue") {
  const MadeLog log = make_log(3, 1);
  LogReader reader(open_memory_file(log.disk));
  RecordList sink;
  log.disk->read_fails = true;
  CHECK_FALSE(reader.poll(sink));
  log.disk->read_fails = false;
  REQUIRE(reader.poll(sink));
  CHECK(sink.entries.size() == 3);
}

TEST_CASE("a real file is written, followed, and read whole") {
  const TempFolder folder;
  const auto path = folder.path() / "node_0.log";
  auto file = open_file(path, OpenMode::kCreateNew);
  REQUIRE(file);
  auto writer = LogWriter::open(std::move(*file), identity_of_tests());
  REQUIRE(writer);
  auto reading = open_file(path, OpenMode::kRead);
  REQUIRE(reading);
  LogReader reader(std::move(*reading));
  RecordList live;
  for (std::uint64_t i = 0; i < 50; ++i) {
    REQUIRE(writer->append(steps(i * 2, 2), 2));
    REQUIRE(reader.poll(live));
    REQUIRE(live.entries.size() == (i + 1) * 2);
  }
  REQUIRE(writer->sync());
  CHECK(std::filesystem::file_size(path) == writer->end_bytes());
  RecordList whole;
  REQUIRE(read_log(path, whole));
  CHECK(whole.entries.size() == 100);
  CHECK_FALSE(read_log(folder.path() / "missing.log", whole));
}

TEST_CASE("reading a log reports its progress and can be cancelled") {
  const TempFolder folder;
  const auto path = folder.path() / "node_0.log";
  auto writer =
      LogWriter::open(std::move(*open_file(path, OpenMode::kCreateNew)), identity_of_tests());
  REQUIRE(writer);
  for (std::uint64_t i = 0; i < 7; ++i)  // about 13 MB
    REQUIRE(writer->append(steps(i * 15'000, 15'000), 15'000));
  const std::uint64_t size = std::filesystem::file_size(path);
  RecordList whole;
  std::vector<std::uint64_t> told;
  REQUIRE(read_log(path, whole, [&](std::uint64_t done, std::uint64_t total) {
    CHECK(total == size);
    told.push_back(done);
    return true;
  }));
  CHECK(whole.entries.size() == 7 * 15'000);
  CHECK(told.size() > 2);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.back() == size);
  RecordList part;
  const auto left = read_log(path, part, [](std::uint64_t, std::uint64_t) { return false; });
  REQUIRE_FALSE(left);
  CHECK(left.error().message.find("given up") != std::string::npos);
  CHECK(part.entries.size() < whole.entries.size());
}

}  // namespace
}  // namespace ringside::runlog
