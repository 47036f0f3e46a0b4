// Promise R10: whatever was cut or flipped, all earlier records are read, nothing crashes, and
// damage is reported.
#include <algorithm>
#include <ctime>
#include <fstream>
#include <random>

#include "protocol/host/files.h"
#include "tests/protocol/runlog/log_of_records.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {
namespace {

using support::open_memory_file;
using support::RecordList;

constexpr std::uint64_t kSegments = 250;
constexpr std::uint64_t kPerSegment = 4;

// Counts and checks records without storing them: each must be one that was written, in order.
class CheckingSink final : public messages::RecordSink {
 public:
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    const auto* step = std::get_if<messages::StepReport>(&record);
    wrong |= step == nullptr || step->step != static_cast<Step>(stamp.seq) ||
             stamp != stamp_of(stamp.seq) || (!seen.empty() && stamp.seq <= seen.back());
    seen.push_back(stamp.seq);
  }
  std::vector<std::uint64_t> seen;
  bool wrong = false;
};

std::uint64_t whole_segments(const MadeLog& log, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(std::upper_bound(log.ends.begin(), log.ends.end(), bytes) -
                                    log.ends.begin());
}

TEST_CASE(
    "R10: a log of 1,000 records cut at any byte returns every whole segment before the cut") {
  const MadeLog log = make_log(kSegments, kPerSegment);
  const auto& all = log.disk->bytes;
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    SegmentDecoder decoder;
    CheckingSink sink;
    REQUIRE(decoder.push(std::span(all).first(cut), sink));
    const std::uint64_t whole = whole_segments(log, cut);
    const std::uint64_t end =
        whole == 0 ? std::min<std::uint64_t>(cut, kFileHeaderBytes) : log.ends[whole - 1];
    const std::uint64_t good = cut < kFileHeaderBytes ? 0 : end;
    REQUIRE_FALSE(sink.wrong);
    REQUIRE(sink.seen.size() == whole * kPerSegment);
    REQUIRE(decoder.progress().tail_bytes == cut - good);
    REQUIRE(decoder.progress().skipped_bytes == 0);
    REQUIRE(decoder.progress().lost_segments == 0);
  }
}

TEST_CASE("R10: a sparse log of a terabyte is read quickly, and its hole is reported") {
  constexpr std::uint64_t kHole = std::uint64_t{1} << 40;
  const MadeLog log = make_log(4, kPerSegment);
  const auto text = [&](std::uint64_t begin, std::uint64_t end) {
    return std::string(reinterpret_cast<const char*>(log.disk->bytes.data()) + begin, end - begin);
  };
  const TempFolder folder;
  const auto path = folder.path() / "node_3.log";
  // Half of the third segment is before the hole, the fourth after it.
  const std::uint64_t torn = log.ends[1] + 30;
  folder.write("node_3.log", text(0, torn));
  std::filesystem::resize_file(path, torn + kHole);
  std::ofstream(path, std::ios::binary | std::ios::app) << text(log.ends[2], log.ends[3]);
  CheckingSink sink;
  const std::clock_t begin = std::clock();
  const auto read = read_log(path, sink);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 2.0);
  REQUIRE(read);
  CHECK_FALSE(sink.wrong);
  CHECK(sink.seen.size() == 3 * kPerSegment);
  CHECK(read->lost_segments == 1);
  CHECK(read->skipped_bytes == kHole + 30);

  std::filesystem::resize_file(path, 0);
  std::filesystem::resize_file(path, kHole);
  const auto empty = read_log(path, sink);
  REQUIRE(empty);
  CHECK(empty->header_damaged);
  CHECK(empty->skipped_bytes == kHole);
  auto file = open_file(path, OpenMode::kAppend);
  REQUIRE(file);
  CHECK_FALSE(LogWriter::open(std::move(*file), identity_of_tests()));
}

TEST_CASE("R10: each of 10,000 flipped bits damages only its segment, and is reported") {
  const MadeLog log = make_log(kSegments, kPerSegment);
  std::mt19937_64 random(20261121);
  for (int round = 0; round < 10'000; ++round) {
    auto bytes = log.disk->bytes;
    const std::size_t bit = random() % (bytes.size() * 8);
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    SegmentDecoder decoder;
    CheckingSink sink;
    REQUIRE(decoder.push(bytes, sink));
    REQUIRE_FALSE(sink.wrong);
    const auto& progress = decoder.progress();
    if (bit / 8 < kFileHeaderBytes) {
      REQUIRE(progress.header_damaged);
      REQUIRE(progress.skipped_bytes == kFileHeaderBytes);
      REQUIRE(sink.seen.size() == kSegments * kPerSegment);
      continue;
    }
    const std::uint64_t hit = whole_segments(log, bit / 8);
    const std::uint64_t start = hit == 0 ? kFileHeaderBytes : log.ends[hit - 1];
    REQUIRE(sink.seen.size() == (kSegments - 1) * kPerSegment);
    REQUIRE(std::find(sink.seen.begin(), sink.seen.end(), hit * kPerSegment) == sink.seen.end());
    REQUIRE(progress.skipped_bytes + progress.tail_bytes == log.ends[hit] - start);
    REQUIRE(progress.lost_segments == (hit + 1 < kSegments ? 1 : 0));
  }
}

TEST_CASE("R10: several flips and cuts never crash a reader and never create a record") {
  const MadeLog log = make_log(60, kPerSegment);
  std::mt19937_64 random(7);
  for (int round = 0; round < 2'000; ++round) {
    auto bytes = log.disk->bytes;
    for (std::size_t i = 0; i < 1 + random() % 40; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    const auto from = static_cast<std::ptrdiff_t>(random() % bytes.size());
    const auto to = std::min<std::ptrdiff_t>(from + static_cast<std::ptrdiff_t>(random() % 900),
                                             static_cast<std::ptrdiff_t>(bytes.size()));
    bytes.erase(bytes.begin() + from, bytes.begin() + to);
    SegmentDecoder decoder;
    CheckingSink sink;
    // The bytes arrive in pieces, as over a connection.
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(1 + random() % 3000, bytes.size() - at);
      REQUIRE(decoder.push(std::span(bytes).subspan(at, piece), sink));
      at += piece;
    }
    REQUIRE_FALSE(sink.wrong);
    REQUIRE(decoder.progress().consumed_bytes + decoder.progress().tail_bytes == bytes.size());
  }
}

TEST_CASE("R10: a damaged header with a length beyond the log hides no segment") {
  const MadeLog log = make_log(3, 1);
  auto& bytes = log.disk->bytes;
  bytes[10] = std::byte{0x00};  // header_bytes: 4,096
  bytes[11] = std::byte{0x10};
  REQUIRE(bytes.size() < 4096);
  SegmentDecoder decoder;
  CheckingSink sink;
  REQUIRE(decoder.push(bytes, sink));
  decoder.finish(sink);
  CHECK(decoder.progress().header_damaged);
  CHECK(sink.seen.size() == 3);
  {
    auto writer = LogWriter::open(support::open_memory_file(log.disk), identity_of_tests());
    REQUIRE(writer);
    REQUIRE(writer->append(steps(3, 1), 1));
  }
  SegmentDecoder again;
  CheckingSink all;
  REQUIRE(again.push(bytes, all));
  again.finish(all);
  CHECK(all.seen.size() == 4);
  CHECK_FALSE(all.wrong);
}

TEST_CASE("R10: a removed middle is reported as lost segments") {
  const MadeLog log = make_log(10, 1);
  auto& bytes = log.disk->bytes;
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(log.ends[2]),
              bytes.begin() + static_cast<std::ptrdiff_t>(log.ends[5]));
  CheckingSink sink;
  const auto progress = LogReader(open_memory_file(log.disk)).poll(sink);
  REQUIRE(progress);
  CHECK(sink.seen.size() == 7);
  CHECK(progress->lost_segments == 3);
  CHECK(progress->skipped_bytes == 0);
}

TEST_CASE("R10: a segment without its middle does not hide the whole segments after it") {
  auto disk = std::make_shared<support::MemoryDisk>();
  {
    auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
    REQUIRE(writer->append(steps(0, 2), 2));
    REQUIRE(writer->append(steps(2, 10), 10));
    REQUIRE(writer->append(steps(12, 1), 1));
  }
  // The length in the second one's header now exceeds the file.
  const auto second = static_cast<std::ptrdiff_t>(kFileHeaderBytes + kSegmentHeaderBytes +
                                                  steps(0, 2).size() + kSegmentHeaderBytes);
  disk->bytes.erase(disk->bytes.begin() + second, disk->bytes.begin() + second + 1000);
  CheckingSink sink;
  SegmentDecoder decoder;
  REQUIRE(decoder.push(disk->bytes, sink));
  CHECK(sink.seen == std::vector<std::uint64_t>{0, 1});  // more may follow
  decoder.finish(sink);
  CHECK(sink.seen == std::vector<std::uint64_t>{0, 1, 12});
  CHECK(decoder.progress().skipped_bytes == kSegmentHeaderBytes + steps(2, 10).size() - 1000);
  CHECK(decoder.progress().lost_segments == 1);
  CHECK(decoder.progress().tail_bytes == 0);
  // A writer continues after them and truncates nothing.
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  REQUIRE(writer->append(steps(13, 1), 1));
  CheckingSink all;
  LogReader reader(open_memory_file(disk));
  REQUIRE(reader.poll(all));
  CHECK(reader.finish(all).tail_bytes == 0);
  CHECK(all.seen == std::vector<std::uint64_t>{0, 1, 12, 13});
}

TEST_CASE("R10: finishing a torn log changes nothing") {
  const MadeLog log = make_log(5, 3);
  for (std::size_t cut = kFileHeaderBytes; cut < log.disk->bytes.size(); cut += 7) {
    SegmentDecoder decoder;
    CheckingSink sink;
    REQUIRE(decoder.push(std::span(log.disk->bytes).first(cut), sink));
    const auto before = decoder.progress();
    decoder.finish(sink);
    REQUIRE(decoder.progress().tail_bytes == before.tail_bytes);
    REQUIRE(decoder.progress().skipped_bytes == 0);
    REQUIRE(sink.seen.size() == whole_segments(log, cut) * 3);
  }
}

TEST_CASE("R10: invalid records within a whole segment are counted") {
  auto disk = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(open_memory_file(disk), identity_of_tests());
  REQUIRE(writer);
  const std::vector<std::byte> junk(100, std::byte{0xEE});
  REQUIRE(writer->append(junk, 1));
  REQUIRE(writer->append(steps(0, 2), 2));
  CheckingSink sink;
  const auto progress = LogReader(open_memory_file(disk)).poll(sink);
  REQUIRE(progress);
  CHECK(progress->decoded.malformed == 1);
  CHECK(progress->decoded.records == 2);
  CHECK(progress->segments == 2);
}

}  // namespace
}  // namespace ringside::runlog
