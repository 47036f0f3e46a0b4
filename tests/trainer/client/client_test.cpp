#include "trainer/client/client.h"

#include <unistd.h>

#include <map>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/sample_records.h"
#include "tests/trainer/telemetry/test_agent.h"

using namespace ringside;
using client::Client;
using messages::RecordType;
using telemetry::kTimeoutNs;

namespace {

// An agent, and the variables that it gives to rank 0.
struct Rig {
  Rig() { std::filesystem::create_directories(rank_dir()); }

  std::filesystem::path rank_dir() const {
    return runlog::RunFolder(agent.folder.path()).rank_dir(0, 0);
  }

  Variables variables() const {
    return [this](const char* name) -> const char* {
      const auto found = values.find(name);
      return found == values.end() ? nullptr : found->second.c_str();
    };
  }

  void close(Client& record_sender) {
    agent.while_ending([&] { record_sender.close(kTimeoutNs); });
  }

  const messages::RankGoodbye& goodbye() const {
    return agent.records.body<messages::RankGoodbye>(agent.records.entries.size() - 1);
  }

  telemetry::TestAgent agent;
  std::map<std::string, std::string> values{{"RINGSIDE_RUN_DIR", agent.folder.path().string()},
                                            {"RINGSIDE_ATTEMPT", "0"},
                                            {"RINGSIDE_NODE", "0"},
                                            {"RANK", "0"}};
};

struct Encoded {
  RecordType type{};
  std::vector<std::byte> body;
};

Encoded encoded(const messages::Record& record) {
  std::vector<std::byte> bytes;
  messages::append_any_record(bytes, {}, record);
  messages::RecordHead head;
  REQUIRE(messages::peek_record(bytes, head));
  return {head.type, {bytes.begin() + messages::kRecordHeaderBytes, bytes.end()}};
}

ringside_result post(Client& record_sender, const Encoded& record) {
  return record_sender.post(static_cast<std::uint16_t>(record.type), 0, record.body);
}

messages::Scalar scalar(const std::string& name, Step step) {
  messages::Scalar one;
  one.name = name;
  one.step = step;
  return one;
}

}  // namespace

TEST_CASE("records posted by four threads arrive in each thread's order and without gaps") {
  Rig rig;
  Client record_sender;
  REQUIRE(record_sender.open(rig.variables()));
  CHECK(record_sender.open(rig.variables()));
  constexpr Step kEach = 2000;
  const std::vector<std::string> names{"a", "b", "c", "d"};
  std::vector<std::thread> threads;
  std::atomic<int> refused{0};
  for (const std::string& name : names) {
    threads.emplace_back([&record_sender, &refused, name] {
      for (Step step = 0; step < kEach; ++step) {
        if (post(record_sender, encoded(scalar(name, step))) != RINGSIDE_POSTED) ++refused;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  rig.close(record_sender);
  CHECK(refused == 0);
  const std::size_t all = names.size() * static_cast<std::size_t>(kEach);
  REQUIRE(rig.agent.records.entries.size() == all + 1);
  std::map<std::string, Step> next;
  for (std::size_t i = 0; i < all; ++i) {
    REQUIRE(rig.agent.records.entries[i].stamp.seq == i);
    const auto& one = rig.agent.records.body<messages::Scalar>(i);
    REQUIRE(one.step == next[one.name]++);
  }
  CHECK(rig.goodbye().produced == static_cast<std::int64_t>(all) + 1);
  CHECK(rig.goodbye().dropped == 0);
}

TEST_CASE("a body whose length does not match its type is refused and not counted") {
  Rig rig;
  Client record_sender;
  REQUIRE(record_sender.open(rig.variables()));
  std::int64_t good = 0;
  for (const auto& record : support::one_of_each()) {
    Encoded one = encoded(record);
    const bool ours = one.type != RecordType::kDeviceSample &&
                      one.type != RecordType::kHostSample && one.type != RecordType::kDeviceLink &&
                      one.type != RecordType::kRankGoodbye;
    CHECK(post(record_sender, one) == (ours ? RINGSIDE_POSTED : RINGSIDE_BAD_RECORD));
    good += ours ? 1 : 0;
    one.body.push_back(std::byte{0});
    CHECK(post(record_sender, one) == RINGSIDE_BAD_RECORD);
    one.body.resize(one.body.size() - 3);
    CHECK(post(record_sender, one) == RINGSIDE_BAD_RECORD);
  }
  CHECK(record_sender.post(99, 0, {}) == RINGSIDE_BAD_RECORD);
  rig.close(record_sender);
  CHECK(rig.goodbye().produced == good + 1);
  CHECK(rig.goodbye().dropped == 0);
  CHECK(rig.agent.counts.malformed == 0);
}

TEST_CASE(
    "a program that does not know the last field of a record works, and that field is unset") {
  Rig rig;
  Client record_sender;
  REQUIRE(record_sender.open(rig.variables()));
  messages::EpochReport pass;
  pass.counted = 49;
  pass.padded_correct = 3;
  pass.idle_seconds = 1.5;
  Encoded older = encoded(pass);
  older.body.resize(older.body.size() - sizeof pass.idle_seconds);
  CHECK(post(record_sender, older) == RINGSIDE_POSTED);
  rig.close(record_sender);
  const auto& arrived = rig.agent.records.body<messages::EpochReport>(0);
  CHECK(arrived.counted == 49);
  CHECK(arrived.padded_correct == 3);
  CHECK(arrived.idle_seconds == 0.0);
  CHECK(rig.agent.counts.malformed == 0);
}

TEST_CASE(
    "R8: records that do not fit are dropped, and the goodbye has the number that the callers "
    "saw") {
  Rig rig;
  Client record_sender;
  REQUIRE(record_sender.open(rig.variables()));
  messages::ShardReport shard;
  shard.indices.resize(messages::ShardReport::kMaxIndices);
  const Encoded large = encoded(shard);
  std::int64_t dropped = 0;
  std::int64_t posted = 0;
  // Nobody reads, so the ring and the unacknowledged batches reach their limits.
  for (; dropped < 10 && posted < 10'000; ++posted)
    dropped += post(record_sender, large) == RINGSIDE_DROPPED ? 1 : 0;
  REQUIRE(dropped == 10);
  rig.close(record_sender);
  REQUIRE(rig.agent.goodbye);
  CHECK(rig.goodbye().produced == posted + 1);
  CHECK(rig.goodbye().dropped == dropped);
  CHECK(static_cast<std::int64_t>(rig.agent.records.entries.size()) == posted + 1 - dropped);
}

TEST_CASE("one process of a rank is connected, and the others learn which one") {
  Rig rig;
  Client first;
  Client second;
  REQUIRE(first.open(rig.variables()));
  CHECK_FALSE(second.open(rig.variables()));
  CHECK(std::string(second.problem()) ==
        "process " + std::to_string(::getpid()) + " speaks for rank 0 already");
  CHECK(post(second, encoded(scalar("x", 0))) == RINGSIDE_NOT_CONNECTED);
  second.close(kTimeoutNs);
  rig.close(first);
  // The agent would refuse a second connection.
  CHECK_FALSE(second.open(rig.variables()));
  CHECK(rig.goodbye().produced == 1);
}

TEST_CASE("nothing is sent after closing, and closing again does nothing") {
  Rig rig;
  Client record_sender;
  REQUIRE(record_sender.open(rig.variables()));
  CHECK(post(record_sender, encoded(scalar("x", 0))) == RINGSIDE_POSTED);
  rig.close(record_sender);
  record_sender.close(kTimeoutNs);
  CHECK(post(record_sender, encoded(scalar("x", 1))) == RINGSIDE_NOT_CONNECTED);
  CHECK_FALSE(record_sender.open(rig.variables()));
  CHECK(std::string(record_sender.problem()).find("ringside_close") != std::string::npos);
  CHECK(rig.agent.records.entries.size() == 2);
}

TEST_CASE("the agent's request can be read, even after closing") {
  Rig rig;
  Client record_sender;
  CHECK(record_sender.stop_request() == 0);
  REQUIRE(record_sender.open(rig.variables()));
  REQUIRE(
      rig.agent.until([&] { return rig.agent.receiver->send_stop(0, wire::StopMode::kGraceful); }));
  CHECK(rig.agent.until([&] { return record_sender.stop_request() == 1; }));
  REQUIRE(rig.agent.receiver->send_stop(0, wire::StopMode::kNow));
  CHECK(rig.agent.until([&] { return record_sender.stop_request() == 2; }));
  rig.close(record_sender);
  CHECK(record_sender.stop_request() == 2);
}

TEST_CASE("a missing endpoint of the agent is reported, and another process can still connect") {
  Rig rig;
  const auto kept = rig.agent.folder.path() / "kept";
  std::filesystem::rename(rig.agent.endpoint_path(), kept);
  Client record_sender;
  CHECK_FALSE(record_sender.open(rig.variables()));
  CHECK(std::string(record_sender.problem()).find("agent.json") != std::string::npos);
  std::filesystem::rename(kept, rig.agent.endpoint_path());
  CHECK(record_sender.open(rig.variables()));
  CHECK(std::string(record_sender.problem()).empty());
  rig.close(record_sender);
}

TEST_CASE("outside a run there is no problem and nothing happens") {
  Client record_sender;
  CHECK_FALSE(record_sender.open([](const char*) -> const char* { return nullptr; }));
  CHECK(std::string(record_sender.problem()).empty());
  CHECK(post(record_sender, encoded(scalar("x", 0))) == RINGSIDE_NOT_CONNECTED);
  CHECK(record_sender.stop_request() == 0);
  record_sender.close(kTimeoutNs);
}
