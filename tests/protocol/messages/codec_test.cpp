#include "protocol/messages/codec.h"

#include <cmath>
#include <cstring>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"

namespace ringside::messages {
namespace {

using support::RecordList;

constexpr Stamp kStamp{1, 2, 3, 4};

std::vector<std::byte> bytes_of(const Record& record, const Stamp& stamp = kStamp) {
  std::vector<std::byte> bytes;
  append_any_record(bytes, stamp, record);
  return bytes;
}

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Shortens the body to `body_bytes` and sets that length in the header, as an older writer would.
std::vector<std::byte> shortened(std::vector<std::byte> bytes, std::size_t body_bytes) {
  bytes.resize(kRecordHeaderBytes + body_bytes);
  put(bytes, 4, static_cast<std::uint32_t>(body_bytes));
  return bytes;
}

DecodeCounts decode(std::span<const std::byte> bytes, RecordList& sink) {
  DecodeCounts counts;
  decode_records(bytes, sink, counts);
  return counts;
}

TEST_CASE("consecutive records of every type are decoded in order") {
  std::vector<std::byte> payload;
  const auto records = support::one_of_each();
  for (std::size_t i = 0; i < records.size(); ++i) {
    append_any_record(payload, {0, static_cast<Rank>(i), i, -static_cast<std::int64_t>(i)},
                      records[i]);
  }
  RecordList sink;
  CHECK(decode(payload, sink) == DecodeCounts{records.size(), 0, 0});
  REQUIRE(sink.entries.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(sink.entries[i].stamp ==
          Stamp{0, static_cast<Rank>(i), i, -static_cast<std::int64_t>(i)});
    CHECK(support::same_record(sink.entries[i].record, records[i]));
  }
}

TEST_CASE("NaN, infinities, extreme numbers and unusual text are decoded unchanged") {
  StepReport step;
  step.loss = std::numeric_limits<float>::infinity();
  step.grad_norm = -std::numeric_limits<float>::denorm_min();
  step.lr = -0.0;
  step.step = std::numeric_limits<Step>::min();
  const Notice notice{Severity::kError, std::string("\0\n\"\xff", 4), std::string(100'000, '\xe2')};
  RecordList sink;
  auto payload = bytes_of(step);
  append_record(payload, kStamp, notice);
  append_record(payload, kStamp, Scalar{"", 0, std::nan("")});
  CHECK(decode(payload, sink).records == 3);
  CHECK(support::same_record(sink.entries[0].record, step));
  CHECK(std::signbit(sink.body<StepReport>(0).lr));
  CHECK(support::same_record(sink.entries[1].record, notice));
  CHECK(std::isnan(sink.body<Scalar>(2).value));
}

TEST_CASE(
    "a body cut at a field boundary has defaults for the rest, and one cut within a field is "
    "malformed") {
  for (const Record& record : support::one_of_each()) {
    const auto whole = bytes_of(record);
    // Ends of the fields, from the field list itself.
    std::vector<std::size_t> boundaries{0};
    std::visit(
        [&](const auto& body) {
          std::decay_t<decltype(body)>::fields(body, [&](std::string_view, const auto& value) {
            boundaries.push_back(boundaries.back() + detail::field_bytes(value));
          });
        },
        record);
    REQUIRE(boundaries.back() == whole.size() - kRecordHeaderBytes);
    for (std::size_t body = 0; body <= boundaries.back(); ++body) {
      const bool boundary =
          std::find(boundaries.begin(), boundaries.end(), body) != boundaries.end();
      RecordList sink;
      const auto counts = decode(shortened(whole, body), sink);
      REQUIRE(counts.records == (boundary ? 1U : 0U));
      REQUIRE(counts.malformed == (boundary ? 0U : 1U));
      if (boundary) REQUIRE(sink.entries[0].record.index() == record.index());
    }
  }
}

TEST_CASE("fields that an older writer did not know have their defaults") {
  const auto whole = bytes_of(support::step_report(9));
  RecordList sink;
  REQUIRE(decode(shortened(whole, 4 + 8 + 4), sink).records == 1);  // epoch, step, samples
  const auto& step = sink.body<StepReport>(0);
  CHECK(step.step == 9);
  CHECK(step.samples == 64);
  CHECK(std::isnan(step.loss));
  CHECK(step.correct == -1);
  CHECK(step.data_wait_ns == -1);
}

TEST_CASE("bytes of a newer writer after the known fields are ignored") {
  for (const Record& record : support::one_of_each()) {
    auto bytes = bytes_of(record);
    bytes.resize(bytes.size() + 20, std::byte{0x77});
    put(bytes, 4, static_cast<std::uint32_t>(bytes.size() - kRecordHeaderBytes));
    RecordList sink;
    REQUIRE(decode(bytes, sink) == DecodeCounts{1, 0, 0});
    CHECK(support::same_record(sink.entries[0].record, record));
  }
}

TEST_CASE("a longer record header is skipped") {
  auto bytes = bytes_of(support::step_report(5));
  bytes.insert(bytes.begin() + kRecordHeaderBytes, 8, std::byte{0x55});
  put(bytes, 2, static_cast<std::uint16_t>(kRecordHeaderBytes + 8));
  RecordList sink;
  REQUIRE(decode(bytes, sink) == DecodeCounts{1, 0, 0});
  CHECK(support::same_record(sink.entries[0].record, support::step_report(5)));
}

TEST_CASE("unknown types are skipped and counted, and later records are read") {
  auto unknown = bytes_of(support::step_report(1));
  put(unknown, 0, std::uint16_t{999});
  auto payload = unknown;
  put(unknown, 0, std::uint16_t{0});
  payload.insert(payload.end(), unknown.begin(), unknown.end());
  const auto known = bytes_of(support::step_report(2));
  payload.insert(payload.end(), known.begin(), known.end());
  RecordList sink;
  CHECK(decode(payload, sink) == DecodeCounts{1, 2, 0});
  CHECK(sink.body<StepReport>(0).step == 2);
}

TEST_CASE("a list or text longer than its body makes only that record malformed") {
  ShardReport shard;
  shard.indices = {1, 2, 3};
  for (const std::uint32_t claimed : {6U, 0x40000000U, 0xFFFFFFFFU}) {
    auto bytes = bytes_of(shard);
    put(bytes, bytes.size() - 24, claimed);
    const auto next = bytes_of(Notice{Severity::kInfo, "a", "b"});
    bytes.insert(bytes.end(), next.begin(), next.end());
    RecordList sink;
    CHECK(decode(bytes, sink) == DecodeCounts{1, 0, 1});
    CHECK(sink.body<Notice>(0).code == "a");
  }
}

TEST_CASE("an invalid record length ends the decoding of the payload") {
  const auto good = bytes_of(support::step_report(1));
  const auto refused = [&](std::size_t at, auto value) {
    auto bytes = good;
    put(bytes, at, value);
    bytes.insert(bytes.end(), good.begin(), good.end());
    RecordList sink;
    const auto counts = decode(bytes, sink);
    return counts == DecodeCounts{0, 0, 1} && sink.entries.empty();
  };
  CHECK(refused(2, std::uint16_t{31}));
  CHECK(refused(2, std::uint16_t{0}));
  CHECK(refused(2, std::uint16_t{0xFFFF}));
  CHECK(refused(4, std::uint32_t{0xFFFFFFFF}));
  CHECK(refused(4, static_cast<std::uint32_t>(kMaxBodyBytes + 1)));
  for (std::size_t cut = 1; cut < good.size(); ++cut) {
    RecordList sink;
    REQUIRE(decode(std::span(good).first(cut), sink) == DecodeCounts{0, 0, 1});
  }
}

TEST_CASE("random bytes and random damage never crash the decoder") {
  std::mt19937_64 random(99);
  std::vector<std::byte> payload;
  for (int i = 0; i < 5; ++i) {
    for (const Record& record : support::one_of_each()) append_any_record(payload, kStamp, record);
  }
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = payload;
    for (std::size_t i = 0; i < 1 + random() % 8; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    bytes.resize(random() % (bytes.size() + 1));
    RecordList sink;
    const auto counts = decode(bytes, sink);
    REQUIRE(counts.records == sink.entries.size());
    for (const auto& entry : sink.entries) {
      if (const auto* state = std::get_if<RankState>(&entry.record))
        REQUIRE_FALSE(name_of(state->state).empty());
    }
  }
}

TEST_CASE("peeking returns type, length and stamp without decoding the body") {
  const auto bytes = bytes_of(support::step_report(1));
  RecordHead head{};
  REQUIRE(peek_record(bytes, head));
  CHECK(head.type == RecordType::kStepReport);
  CHECK(head.total_bytes == bytes.size());
  CHECK(head.stamp == kStamp);
  CHECK_FALSE(peek_record(std::span(bytes).first(bytes.size() - 1), head));
  CHECK_FALSE(peek_record({}, head));
}

TEST_CASE("a step with only the fields of the first version is valid") {
  const std::vector<std::byte> bytes = bytes_of(support::step_report(1));
  const auto body = std::span<const std::byte>(bytes).subspan(kRecordHeaderBytes);
  const auto whole = [&](std::size_t without) {
    return !whole_body_of(RecordType::kStepReport, body.first(body.size() - without)).empty();
  };
  for (std::size_t without = 0; without < 20; ++without) {
    INFO(without);
    CHECK(whole(without) == (without == 0 || without == 4 || without == 8));
  }
}

TEST_CASE("a body of each type is valid only at its own length") {
  for (const Record& record : support::one_of_each()) {
    std::vector<std::byte> bytes = bytes_of(record);
    RecordHead head;
    REQUIRE(peek_record(bytes, head));
    bytes.push_back(std::byte{0});
    const auto body = std::span<const std::byte>(bytes).subspan(kRecordHeaderBytes);
    const std::string_view name =
        std::visit([](const auto& one) { return std::decay_t<decltype(one)>::kName; }, record);
    for (std::size_t length = 0; length <= body.size(); ++length) {
      INFO(name << " " << length);
      const std::size_t without = body.size() - 1 - length;
      const bool two = name == StepReport::kName || name == ShardReport::kName;
      const bool older = (two && (without == 4 || without == 8)) ||
                         (name == EpochReport::kName && without == 8) ||
                         (name == RankHello::kName && (without == 4 || without == 16)) ||
                         ((name == GroupReport::kName || name == Scalar::kName) && without == 1);
      const bool whole = length + 1 == body.size() || older;
      REQUIRE(whole_body_of(head.type, body.first(length)) == (whole ? name : std::string_view()));
    }
  }
  CHECK(whole_body_of(static_cast<RecordType>(99), {}).empty());
  // A list whose count exceeds the body.
  const std::vector<std::byte> claim(4, std::byte{0xff});
  CHECK(whole_body_of(RecordType::kScalar, claim).empty());
}

}  // namespace
}  // namespace ringside::messages
