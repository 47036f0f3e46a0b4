#include <cstring>

#include "protocol/runlog/crc32c.h"
#include "tests/protocol/runlog/log_of_records.h"
#include "tests/support/catch.h"

namespace ringside::runlog {
namespace {

using support::open_memory_file;
using support::RecordList;

// Writes another version into a header and corrects its CRC.
void set_version(support::MemoryDisk& disk, std::uint16_t version) {
  std::memcpy(disk.bytes.data() + 8, &version, sizeof version);
  const std::uint32_t crc = crc32c(std::span(disk.bytes).first(kFileHeaderBytes - 4));
  std::memcpy(disk.bytes.data() + kFileHeaderBytes - 4, &crc, sizeof crc);
}

TEST_CASE("the header contains the origin of a log") {
  auto log = make_log(1, 1);
  RecordList sink;
  LogReader reader(open_memory_file(log.disk));
  CHECK(reader.identity() == LogIdentity{});
  const auto progress = reader.poll(sink);
  REQUIRE(progress);
  CHECK(reader.identity() == identity_of_tests());
  CHECK_FALSE(progress->header_damaged);
  CHECK(progress->consumed_bytes == log.disk->bytes.size());
}

TEST_CASE("the first bytes of a log are those in FORMAT.md") {
  const auto log = make_log(1, 1);
  const auto& bytes = log.disk->bytes;
  REQUIRE(bytes.size() == kFileHeaderBytes + kSegmentHeaderBytes + steps(0, 1).size());
  CHECK(std::memcmp(bytes.data(), "RINGLOG\n\x01\x00\x80\x00\x03\x00\x00\x00", 16) == 0);
  CHECK(std::memcmp(bytes.data() + 32,
                    "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef", 16) == 0);
  CHECK(std::memcmp(bytes.data() + 48, "20261121T134005Z-7f3a1c\0\0", 25) == 0);
  CHECK(std::memcmp(bytes.data() + kFileHeaderBytes, "RSEG", 4) == 0);
}

TEST_CASE("a run id that is too long is cut") {
  auto disk = std::make_shared<support::MemoryDisk>();
  LogIdentity identity = identity_of_tests();
  identity.run_id = std::string(200, 'x');
  identity.boot_id = "unknown";
  REQUIRE(LogWriter::open(open_memory_file(disk), identity));
  RecordList sink;
  LogReader reader(open_memory_file(disk));
  REQUIRE(reader.poll(sink));
  CHECK(reader.identity().run_id == std::string(76, 'x'));
  CHECK(reader.identity().boot_id.empty());
}

TEST_CASE("a newer format version is refused and both versions are named") {
  auto log = make_log(2, 1);
  set_version(*log.disk, 7);
  RecordList sink;
  LogReader reader(open_memory_file(log.disk));
  for (int again = 0; again < 2; ++again) {
    const auto progress = reader.poll(sink);
    REQUIRE_FALSE(progress);
    CHECK(progress.error().kind == ErrorKind::kRequest);
    CHECK(progress.error().message.find("version 7") != std::string::npos);
    CHECK(progress.error().message.find("version 1") != std::string::npos);
  }
  CHECK(sink.entries.empty());
  const auto before = log.disk->bytes;
  CHECK_FALSE(LogWriter::open(open_memory_file(log.disk), identity_of_tests()));
  CHECK(log.disk->bytes == before);
}

TEST_CASE("a longer header of the same version is skipped") {
  auto log = make_log(2, 1);
  auto& bytes = log.disk->bytes;
  bytes.insert(bytes.begin() + kFileHeaderBytes - 4, 16, std::byte{9});
  const std::uint16_t length = kFileHeaderBytes + 16;
  std::memcpy(bytes.data() + 10, &length, sizeof length);
  const std::uint32_t crc = crc32c(std::span(bytes).first(length - 4U));
  std::memcpy(bytes.data() + length - 4, &crc, sizeof crc);
  RecordList sink;
  LogReader reader(open_memory_file(log.disk));
  const auto progress = reader.poll(sink);
  REQUIRE(progress);
  CHECK(sink.entries.size() == 2);
  CHECK(progress->skipped_bytes == 0);
  CHECK(reader.identity() == identity_of_tests());
}

TEST_CASE("a damaged header loses the identity, but no records") {
  auto log = make_log(3, 2);
  log.disk->bytes[20] ^= std::byte{1};
  RecordList sink;
  LogReader reader(open_memory_file(log.disk));
  const auto progress = reader.poll(sink);
  REQUIRE(progress);
  CHECK(progress->header_damaged);
  CHECK(progress->skipped_bytes == kFileHeaderBytes);
  CHECK(sink.entries.size() == 6);
  CHECK(reader.identity() == LogIdentity{});
}

TEST_CASE("a file that is not a log returns no records and is never written to") {
  auto disk = std::make_shared<support::MemoryDisk>();
  disk->bytes.assign(5000, std::byte{'R'});
  RecordList sink;
  LogReader reader(open_memory_file(disk));
  const auto progress = reader.poll(sink);
  REQUIRE(progress);
  CHECK(progress->header_damaged);
  CHECK(progress->skipped_bytes + progress->tail_bytes == 5000);
  CHECK(sink.entries.empty());
  const auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE_FALSE(writer);
  CHECK(disk->bytes == std::vector<std::byte>(5000, std::byte{'R'}));
}

}  // namespace
}  // namespace ringside::runlog
