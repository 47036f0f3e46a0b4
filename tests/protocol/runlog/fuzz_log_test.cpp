// Promises R10 and S4: whatever bytes a log has, the reader neither crashes nor creates a record,
// whether it reads in pieces or at once, and a writer can continue the log. Runs briefly with a
// fixed seed; RINGSIDE_FUZZ_SECONDS=600 runs longer.
#include "protocol/runlog/crc32c.h"
#include "protocol/runlog/headers.h"
#include "tests/protocol/runlog/log_of_records.h"
#include "tests/support/catch.h"
#include "tests/support/mutator.h"

namespace ringside::runlog {
namespace {

using support::Bytes;
using support::Mutator;

// Collects everything that a reader returns, as bytes to compare.
class Written final : public messages::RecordSink {
 public:
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    messages::append_any_record(bytes, stamp, record);
  }
  Bytes bytes;
};

struct Reading {
  bool refused = false;
  LogProgress progress;
  Bytes records;
};

Reading read(const Bytes& log, Mutator* pieces) {
  SegmentDecoder decoder;
  Written sink;
  Reading reading;
  for (std::size_t at = 0; at < log.size() && !reading.refused;) {
    const std::size_t left = log.size() - at;
    const std::size_t piece = pieces == nullptr ? left : std::min(left, 1 + pieces->below(700));
    reading.refused = !decoder.push(std::span(log).subspan(at, piece), sink).has_value();
    at += piece;
  }
  if (!reading.refused) decoder.finish(sink);
  reading.progress = decoder.progress();
  reading.records = std::move(sink.bytes);
  return reading;
}

void compare_readings(const Bytes& log, Mutator& mutator) {
  const Reading whole = read(log, nullptr);
  const Reading pieces = read(log, &mutator);
  REQUIRE(whole.refused == pieces.refused);
  if (whole.refused) return;
  const bool same = whole.records == pieces.records;
  REQUIRE(same);
  REQUIRE(whole.progress.decoded == pieces.progress.decoded);
  REQUIRE(whole.progress.segments == pieces.progress.segments);
  REQUIRE(whole.progress.skipped_bytes == pieces.progress.skipped_bytes);
  REQUIRE(whole.progress.consumed_bytes + whole.progress.tail_bytes == log.size());
}

// Continues the log of a crashed writer: only the new records are added.
void continue_log(Bytes log) {
  const Reading before = read(log, nullptr);
  auto disk = std::make_shared<support::MemoryDisk>();
  disk->bytes = std::move(log);
  auto writer = LogWriter::open(support::open_memory_file(disk), identity_of_tests());
  if (!writer) return;  // not a log, or a newer one: refused and not written to
  const Bytes added = steps(900'000, 2);
  REQUIRE(writer->append(added, 2));
  Bytes expected = before.records;
  expected.insert(expected.end(), added.begin(), added.end());
  const bool same = read(disk->bytes, nullptr).records == expected;
  REQUIRE(same);
}

// Damage that the checksums detect.
void damaged_bytes(Mutator& mutator, std::uint64_t round) {
  const Bytes log = mutator.next();
  compare_readings(log, mutator);
  if (round % 4 == 0) continue_log(log);
}

// Invalid records with correct checksums around them.
void sealed_nonsense(Mutator& mutator, std::uint64_t) {
  const auto header = encode_file_header(identity_of_tests());
  Bytes log(header.begin(), header.end());
  for (std::uint64_t number = 0; number < 3; ++number) {
    Bytes payload = mutator.next();
    if (payload.empty()) continue;
    const std::size_t at = log.size();
    log.resize(at + kSegmentHeaderBytes);
    encode_segment_header(log.data() + at,
                          {static_cast<std::uint32_t>(payload.size()), number, crc32c(payload)});
    log.insert(log.end(), payload.begin(), payload.end());
  }
  compare_readings(log, mutator);
}

std::vector<Bytes> payloads() {
  std::vector<Bytes> inputs;
  Bytes all;
  std::uint64_t seq = 0;
  for (const messages::Record& record : support::one_of_each()) {
    Bytes one;
    messages::append_any_record(one, stamp_of(seq), record);
    messages::append_any_record(all, stamp_of(seq++), record);
    inputs.push_back(std::move(one));
  }
  inputs.push_back(std::move(all));
  return inputs;
}

std::vector<Bytes> logs() {
  std::vector<Bytes> inputs;
  for (const std::uint64_t segments : {0U, 1U, 5U, 20U})
    inputs.push_back(make_log(segments, 3).disk->bytes);
  auto mixed = std::make_shared<support::MemoryDisk>();
  auto writer = LogWriter::open(support::open_memory_file(mixed), identity_of_tests());
  for (const Bytes& payload : payloads()) REQUIRE(writer->append(payload, 1));
  inputs.push_back(mixed->bytes);
  // Magic numbers within records must not be taken for segments.
  auto nested = std::make_shared<support::MemoryDisk>();
  auto outer = LogWriter::open(support::open_memory_file(nested), identity_of_tests());
  messages::Notice notice;
  const Bytes inner = make_log(2, 1).disk->bytes;
  for (const std::byte b : inner) notice.text.push_back(static_cast<char>(b));
  Bytes payload;
  messages::append_record(payload, stamp_of(0), notice);
  REQUIRE(outer->append(payload, 1));
  inputs.push_back(nested->bytes);
  return inputs;
}

}  // namespace

TEST_CASE("R10: fuzz: a damaged log is read the same at once and in pieces, and can be continued") {
  support::fuzz(20'000, logs(), damaged_bytes);
}

TEST_CASE("S4: fuzz: invalid records with a correct checksum are counted and never crash") {
  support::fuzz(20'000, payloads(), sealed_nonsense);
}

}  // namespace ringside::runlog
