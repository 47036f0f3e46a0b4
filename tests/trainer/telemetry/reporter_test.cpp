#include "trainer/telemetry/reporter.h"

#include "protocol/runlog/run_folder.h"
#include "protocol/runlog/unsent_log.h"
#include "tests/support/catch.h"
#include "tests/support/sample_records.h"
#include "tests/trainer/telemetry/test_agent.h"

using namespace ringside;
using telemetry::kTimeoutNs;
using telemetry::Reporter;
using telemetry::StopRequest;

namespace {

messages::StepReport step_report(Step step) {
  messages::StepReport report;
  report.step = step;
  report.loss = 0.5F;
  return report;
}

}  // namespace

TEST_CASE("all posted records arrive in order, and the goodbye has their number") {
  telemetry::TestAgent agent;
  Reporter reporter(agent.endpoint_path(), {0, 0, 0});
  REQUIRE(reporter.connected());
  constexpr Step kSteps = 5000;
  for (Step step = 0; step < kSteps; ++step) reporter.post(step_report(step), 1000 + step);
  const auto counts = agent.finish(reporter, kTimeoutNs);
  CHECK(counts.produced == kSteps + 1);
  CHECK(counts.dropped == 0);
  CHECK(agent.goodbye);
  REQUIRE(agent.records.entries.size() == static_cast<std::size_t>(kSteps + 1));
  for (std::size_t i = 0; i < static_cast<std::size_t>(kSteps); ++i) {
    REQUIRE(agent.records.entries[i].stamp.seq == i);
    REQUIRE(agent.records.entries[i].stamp.mono_ns == 1000 + static_cast<std::int64_t>(i));
    REQUIRE(agent.records.body<messages::StepReport>(i).step == static_cast<Step>(i));
  }
  const auto& last = agent.records.body<messages::RankGoodbye>(static_cast<std::size_t>(kSteps));
  CHECK(last.produced == kSteps + 1);
  CHECK(last.dropped == 0);
  CHECK(last.post_total_ns >= last.post_max_ns);
}

TEST_CASE("the agent's stop request arrives without polling") {
  telemetry::TestAgent agent;
  Reporter reporter(agent.endpoint_path(), {0, 0, 0});
  reporter.post(step_report(0));
  REQUIRE(agent.until([&] { return agent.receiver->send_stop(0, wire::StopMode::kGraceful); }));
  CHECK(agent.until([&] { return reporter.stop_request() == StopRequest::kGraceful; }));
  REQUIRE(agent.receiver->send_stop(0, wire::StopMode::kNow));
  CHECK(agent.until([&] { return reporter.stop_request() == StopRequest::kNow; }));
  agent.finish(reporter, kTimeoutNs);
}

TEST_CASE("R8: an agent that does not read for a while loses records, and every loss is counted") {
  telemetry::TestAgent agent;
  // The ring is small and the agent's loop does not run, so the ring overflows and sequence numbers
  // are missing.
  Reporter reporter(agent.endpoint_path(), {0, 0, 0}, &wire::TelemetrySender::connect, 4096);
  constexpr std::int64_t kRecords = 400'000;
  for (Step step = 0; step < kRecords; ++step) reporter.post(step_report(step));
  const auto counts = agent.finish(reporter, kTimeoutNs);
  REQUIRE(agent.goodbye);
  CHECK(counts.produced == kRecords + 1);
  CHECK(counts.dropped > 0);
  const auto arrived = static_cast<std::int64_t>(agent.records.entries.size());
  CHECK(arrived + counts.dropped == counts.produced);
  CHECK(agent.records.entries.back().stamp.seq == static_cast<std::uint64_t>(kRecords));
  CHECK(agent.records.body<messages::RankGoodbye>(agent.records.entries.size() - 1).dropped ==
        counts.dropped);
}

TEST_CASE("R8: a record above the maximum size is left out, reported once, and delays nothing") {
  telemetry::TestAgent agent;
  Reporter reporter(agent.endpoint_path(), {0, 0, 0});
  const messages::Notice large{messages::Severity::kInfo, "large",
                               std::string(std::size_t{3} << 20, 'x')};
  reporter.post(large);
  reporter.post(large);
  reporter.post(step_report(7));
  REQUIRE(agent.until([&] { return agent.records.entries.size() >= 2; }));
  CHECK(agent.records.body<messages::Notice>(0).code == "record_too_large");
  CHECK(agent.records.body<messages::Notice>(0).text.find("3145") != std::string::npos);
  CHECK(agent.records.body<messages::StepReport>(1).step == 7);
  const auto counts = agent.finish(reporter, kTimeoutNs);
  CHECK(counts.produced == 5);
  CHECK(counts.dropped == 2);
  REQUIRE(agent.records.entries.size() == 3);
  CHECK(agent.records.body<messages::RankGoodbye>(2).dropped == 2);
}

TEST_CASE("R8: an agent that never reads does not delay the end") {
  telemetry::TestAgent agent;
  Reporter reporter(agent.endpoint_path(), {0, 0, 0});
  for (Step step = 0; step < 10'000; ++step) reporter.post(step_report(step));
  const std::int64_t begin_ns = mono_now_ns();
  reporter.finish(200'000'000);
  // 200 ms for the goodbye and 200 ms to close the socket; the rest is room for a busy machine.
  CHECK(mono_now_ns() - begin_ns < 2'000'000'000);
}

TEST_CASE("R8: all records that an agent never read are left in the attempt's folder", "[R8]") {
  telemetry::TestAgent agent;
  const runlog::RunFolder run(agent.folder.path());
  std::filesystem::create_directories(run.rank_dir(3, 0));
  Reporter reporter(agent.endpoint_path(), {0, 0, 3});
  constexpr Step kSteps = 10'000;
  for (Step step = 0; step < kSteps; ++step) reporter.post(step_report(step));
  const auto counts = reporter.finish(200'000'000);
  CHECK(counts.dropped == 0);
  const auto read = runlog::read_unsent(run.unsent_path(3, 0), {"run", 0, 0, 0}, agent.records);
  REQUIRE(read);
  CHECK(read->records == static_cast<std::uint64_t>(counts.produced));
  REQUIRE(agent.records.entries.size() == static_cast<std::size_t>(kSteps + 1));
  for (std::size_t i = 0; i < static_cast<std::size_t>(kSteps); ++i)
    REQUIRE(agent.records.body<messages::StepReport>(i).step == static_cast<Step>(i));
  CHECK(agent.records.body<messages::RankGoodbye>(static_cast<std::size_t>(kSteps)).produced ==
        kSteps + 1);
}

TEST_CASE("R8: acknowledged records are not left in the folder") {
  telemetry::TestAgent agent;
  const runlog::RunFolder run(agent.folder.path());
  std::filesystem::create_directories(run.rank_dir(0, 0));
  {
    Reporter reporter(agent.endpoint_path(), {0, 0, 0});
    reporter.post(step_report(0));
    agent.finish(reporter, kTimeoutNs);
  }
  CHECK(agent.goodbye);
  CHECK_FALSE(std::filesystem::exists(run.unsent_path(0, 0)));
}

TEST_CASE("R8: without an agent's endpoint the reporter is silent and has the reason") {
  const TempFolder folder;
  Reporter reporter(folder.path() / "agent.json", {0, 0, 0});
  CHECK_FALSE(reporter.connected());
  CHECK(reporter.problem().find("agent.json") != std::string::npos);
  reporter.post(step_report(0));
  CHECK(reporter.finish().produced == 0);
  Reporter nobody;
  nobody.post(step_report(0));
  CHECK(nobody.stop_request() == StopRequest::kNone);
}

TEST_CASE("an encoded record arrives as if it had been posted") {
  telemetry::TestAgent agent;
  Reporter reporter(agent.endpoint_path(), {0, 0, 0});
  std::vector<std::vector<std::byte>> posted;
  for (const auto& record : support::one_of_each()) {
    std::vector<std::byte>& bytes = posted.emplace_back();
    messages::append_any_record(bytes, {0, 0, posted.size() - 1, 42}, record);
    messages::RecordHead head;
    REQUIRE(messages::peek_record(bytes, head));
    const auto body = std::span<const std::byte>(bytes).subspan(messages::kRecordHeaderBytes);
    CHECK(reporter.post_encoded(head.type, body, "any", 42));
  }
  agent.finish(reporter, kTimeoutNs);
  REQUIRE(agent.records.entries.size() == posted.size() + 1);
  for (std::size_t i = 0; i < posted.size(); ++i) {
    std::vector<std::byte> arrived;
    messages::append_any_record(arrived, agent.records.entries[i].stamp,
                                agent.records.entries[i].record);
    CHECK(arrived == posted[i]);
  }
  CHECK_FALSE(Reporter().post_encoded(messages::RecordType::kNotice, {}, "notice"));
}
