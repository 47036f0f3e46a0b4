// Promise S4: whatever bytes arrive as a frame are accepted, or refused and counted. Runs briefly
// with a fixed seed; RINGSIDE_FUZZ_SECONDS=600 runs longer.
#include <optional>

#include "protocol/wire/socket.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"
#include "tests/support/mutator.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"

namespace ringside::wire {
namespace {

using support::Bytes;
using support::Mutator;

Bytes frame_bytes(Frame frame, const Bytes& payload) {
  Bytes bytes(kFrameBytes + payload.size());
  frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
  encode_frame(bytes.data(), frame);
  std::copy(payload.begin(), payload.end(), bytes.begin() + kFrameBytes);
  return bytes;
}

// Every kind of frame, with every type of record in its payload.
std::vector<Bytes> corpus(std::uint64_t token) {
  std::vector<Bytes> inputs;
  Bytes all;
  std::uint32_t count = 0;
  for (const messages::Record& record : support::one_of_each()) {
    Bytes one;
    messages::append_any_record(one, {0, 1, count, 5}, record);
    messages::append_any_record(all, {0, 1, count++, 5}, record);
    Frame frame;
    frame.kind = FrameKind::kBatch;
    frame.run_token = token;
    frame.rank = 1;
    frame.number = count;
    frame.count = 1;
    inputs.push_back(frame_bytes(frame, one));
  }
  for (const int kind : {1, 2, 3, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 0, 0xffff}) {
    Frame frame;
    frame.kind = static_cast<FrameKind>(kind);
    frame.run_token = token;
    frame.rank = 1;
    frame.number = 100;
    frame.count = kind == 1 ? 0 : count;
    inputs.push_back(frame_bytes(frame, kind == 1 ? Bytes{} : all));
  }
  inputs.push_back({});
  return inputs;
}

// If a header is valid, its records are walked and decoded in the same way.
void look_at(Mutator& mutator, std::uint64_t) {
  const Bytes bytes = mutator.next();
  Frame frame;
  if (decode_frame(bytes, frame) != FrameVerdict::kGood) return;
  REQUIRE(bytes.size() == kFrameBytes + frame.payload_bytes);
  Bytes again(kFrameBytes);
  encode_frame(again.data(), frame);
  REQUIRE(std::equal(again.begin(), again.begin() + 52, bytes.begin()));
  auto payload = std::span(bytes).subspan(kFrameBytes);
  support::RecordList list;
  messages::DecodeCounts counts;
  messages::decode_records(payload, list, counts);
  REQUIRE(list.entries.size() == counts.records);
  std::uint64_t walked = 0;
  for (messages::RecordHead head{}; messages::peek_record(payload, head); ++walked)
    payload = payload.subspan(head.total_bytes);
  const std::uint64_t given_up = payload.empty() ? 0 : 1;
  REQUIRE(counts.records + counts.unknown_types + counts.malformed == walked + given_up);
}

}  // namespace

TEST_CASE("S4: fuzz: frames and their records are read within their bounds") {
  support::fuzz(60'000, corpus(77), look_at);
}

TEST_CASE("S4: fuzz: a receiver accepts or counts every frame, and continues") {
  TestAgent agent(3);
  Context context;
  auto socket = open_dealer(context, agent.endpoint, agent.endpoint.telemetry_endpoint);
  REQUIRE(socket);
  Mutator mutator(corpus(agent.endpoint.run_token), 20261121);
  constexpr std::uint64_t kFrames = 3'000;
  const auto seen = [&] {
    return agent.receiver->counts().frames + agent.receiver->counts().refused_total();
  };
  for (std::uint64_t sent = 0; sent < kFrames; ++sent) {
    const Bytes bytes = mutator.next();
    // Larger messages close the connection, which another test covers.
    const std::size_t size = std::min(bytes.size(), static_cast<std::size_t>(kMaxMessageBytes));
    Message message;
    REQUIRE(message.resize(size));
    std::copy_n(bytes.begin(), size, message.data());
    REQUIRE(agent.until([&] { return socket->send(message.get()); }));
    if (sent % 64 == 63) REQUIRE(agent.until([&] { return seen() == sent + 1; }));
  }
  CHECK(agent.until([&] { return seen() == kFrames; }));
  CHECK(agent.receiver->counts().refused_total() > kFrames / 2);
  CHECK(agent.receiver->counts().frames > 0);
  // The next attempt begins with no claimed ranks, and a well-behaved rank is accepted.
  agent.receiver->expect({agent.endpoint.run_token, 0, 0, 3, 1});
  auto good = TelemetrySender::connect(agent.endpoint, 0, 1, 1);
  REQUIRE(good);
  const std::uint64_t before = agent.receiver->counts().records;
  REQUIRE(good->send(payload_of(0, 1, 0, 2), 2));
  CHECK(agent.until([&] { return agent.receiver->counts().records == before + 2; }));
}

}  // namespace ringside::wire
