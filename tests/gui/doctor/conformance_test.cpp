#include "gui/doctor/conformance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::doctor;
using messages::State;

namespace {

constexpr std::int64_t kBegin = 1'000'000'000;
constexpr std::int64_t kStep = 10'000'000;
constexpr Step kSteps = 3;

// Records of two ranks that follow all rules, and of their agent.
class Log {
 public:
  explicit Log(State end = State::kFinished) {
    received_.ranks = 2;
    agent(kBegin, state_of(State::kStarting, kNoRank));
    for (const Rank rank : {0, 1}) speak(rank);
    for (const Rank rank : {0, 1}) agent(kBegin + 10 * kStep, state_of(end, rank));
    agent(kBegin + 11 * kStep, state_of(end, kNoRank));
  }

  ReceivedRecords& received() { return received_; }

  /// The n-th record of this type of a rank.
  template <class Body>
  Body& of(Rank rank, std::size_t n = 0) {
    for (auto& reported : received_.reported) {
      auto* body = std::get_if<Body>(&reported.record);
      if (body != nullptr && reported.stamp.rank == rank && n-- == 0) return *body;
    }
    throw std::out_of_range("no such record");
  }

  /// Removes the records for which the predicate holds.
  void drop(const std::function<bool(const ReceivedRecords::ReceivedRecord&)>& unwanted) {
    std::erase_if(received_.reported, unwanted);
  }

 private:
  static messages::RankState state_of(State state, Rank about) {
    messages::RankState record;
    record.state = state;
    record.about = about;
    return record;
  }

  void agent(std::int64_t at_ns, const messages::Record& record) {
    received_.reported.push_back({{0, kNoRank, seq_++, at_ns}, record});
  }

  void speak(Rank rank) {
    std::uint64_t seq = 0;
    const auto say = [&](std::int64_t at_ns, const messages::Record& record) {
      received_.reported.push_back({{0, rank, seq++, at_ns}, record});
    };
    messages::RankHello hello;
    hello.pid = 100 + rank;
    hello.local_rank = rank;
    hello.world_size = 2;
    hello.wall_ns = 1;
    say(kBegin, hello);
    messages::GroupReport group;
    group.name = "0";
    group.ranks = {0, 1};
    say(kBegin, group);
    for (Step step = 0; step < kSteps; ++step) {
      const std::int64_t end_ns = kBegin + (step + 1) * kStep;
      messages::CollectiveReport collective;
      collective.number = step;
      collective.step = step;
      collective.entered_ns = collective.issued_ns = end_ns - kStep / 2;
      say(end_ns, collective);
      messages::BucketReport bucket;
      bucket.step = step;
      bucket.size_bytes = 4;
      bucket.ready_ns = end_ns - kStep / 2;
      bucket.reduced_ns = end_ns - kStep / 4;
      say(end_ns, bucket);
      messages::StepReport report;
      report.step = step;
      report.samples = 8;
      report.loss = 0.5F;
      report.forward_ns = kStep / 2;
      report.backward_ns = kStep / 2;
      report.step_ns = kStep;
      say(end_ns, report);
    }
    messages::EpochReport epoch;
    epoch.counted = 8 * kSteps;
    epoch.correct = -1;
    epoch.steps = kSteps;
    epoch.seconds = 0.03;
    say(kBegin + 4 * kStep, epoch);
    messages::RankGoodbye goodbye;
    goodbye.produced = static_cast<std::int64_t>(seq) + 1;
    say(kBegin + 4 * kStep, goodbye);
  }

  ReceivedRecords received_;
  std::uint64_t seq_ = 0;
};

StopSeen stopped_well() { return {true, 0.5, Log(State::kStopped).received()}; }

RuleResult result_of(Rule rule, const ReceivedRecords& received,
                     const StopSeen& stop = stopped_well()) {
  const auto results = judge_conformance(received, stop);
  REQUIRE(results.size() == kRules.size());
  const auto found = std::find_if(results.begin(), results.end(),
                                  [&](const auto& result) { return result.kind.rule == rule; });
  REQUIRE(found != results.end());
  return *found;
}

// Expects that the change breaks exactly one rule, and that the result contains these words.
void breaks(Rule rule, const std::function<void(Log&)>& change, const std::string& words) {
  Log log;
  change(log);
  const auto result = result_of(rule, log.received());
  INFO(result.kind.name << ": " << result.told);
  CHECK(result.verdict == Verdict::kFail);
  CHECK(result.told.find(words) != std::string::npos);
  CHECK_FALSE(conforms(judge_conformance(log.received(), stopped_well())));
}

template <class Body>
bool is(const ReceivedRecords::ReceivedRecord& reported) {
  return std::holds_alternative<Body>(reported.record);
}

}  // namespace

TEST_CASE("ranks that follow the format break no rule") {
  Log log;
  for (const auto& result : judge_conformance(log.received(), stopped_well())) {
    INFO(result.kind.name << ": " << result.told);
    CHECK(result.verdict == Verdict::kPass);
    CHECK_FALSE(result.told.empty());
  }
}

TEST_CASE("a program without telemetry shows only its end, with advice on what to add") {
  Log log;
  log.drop([](const ReceivedRecords::ReceivedRecord& reported) {
    return reported.stamp.rank != kNoRank;
  });
  for (const auto& result : judge_conformance(log.received(), {})) {
    INFO(result.kind.name);
    const bool end = result.kind.rule == Rule::kEnd;
    CHECK(result.verdict == (end ? Verdict::kPass : Verdict::kNotSeen));
    if (!end) CHECK(result.told == result.kind.advice);
  }
  CHECK(conforms(judge_conformance(log.received(), {})));
}

TEST_CASE("bad frames and records are a fault, whoever noticed them") {
  breaks(
      Rule::kFrames, [](Log& log) { log.received().decoded.malformed = 2; }, "2 records");
  breaks(
      Rule::kFrames, [](Log& log) { log.received().decoded.unknown_types = 1; }, "no known type");
  breaks(
      Rule::kFrames,
      [](Log& log) {
        log.received().reported.push_back(
            {{}, messages::Notice{messages::Severity::kWarning, "frames_refused", "3 of them"}});
      },
      "3 of them");
}

TEST_CASE("the hello comes first and repeats what the agent set") {
  breaks(
      Rule::kHello, [](Log& log) { log.drop(is<messages::RankHello>); }, "no RankHello");
  breaks(
      Rule::kHello, [](Log& log) { log.of<messages::RankHello>(1).world_size = 1; },
      "WORLD_SIZE is 2");
  breaks(
      Rule::kHello, [](Log& log) { log.of<messages::RankHello>(1).local_rank = 0; },
      "LOCAL_RANK is 1");
  breaks(
      Rule::kHello, [](Log& log) { log.of<messages::RankHello>(1).pid = 100; }, "pid = 100");
  breaks(
      Rule::kHello,
      [](Log& log) {
        log.drop([](const ReceivedRecords::ReceivedRecord& reported) {
          return reported.stamp.rank == 1;
        });
      },
      "1 of 2 ranks sent no record");
}

TEST_CASE("a gap in the sequence numbers is a loss unless the goodbye reports it") {
  const auto lose_one = [](Log& log) {
    log.drop([](const ReceivedRecords::ReceivedRecord& reported) {
      return reported.stamp.rank == 1 && reported.stamp.seq == 3;
    });
  };
  breaks(Rule::kSequence, lose_one, "1 numbers of rank 1");
  Log told;
  lose_one(told);
  told.of<messages::RankGoodbye>(1).dropped = 1;
  CHECK(result_of(Rule::kSequence, told.received()).verdict == Verdict::kPass);
  breaks(
      Rule::kSequence,
      [](Log& log) {
        for (auto& reported : log.received().reported) reported.stamp.seq = 0;
      },
      "number 0 where 1 is due");
}

TEST_CASE("the goodbye comes last and counts all records including itself") {
  breaks(
      Rule::kGoodbye, [](Log& log) { log.drop(is<messages::RankGoodbye>); }, "goodbye_ack");
  breaks(
      Rule::kGoodbye, [](Log& log) { --log.of<messages::RankGoodbye>(0).produced; },
      "the goodbye counts too");
}

TEST_CASE("steps are consecutive, and have samples and a duration") {
  breaks(
      Rule::kSteps, [](Log& log) { log.of<messages::StepReport>(0, 1).step = 5; },
      "step 5 where 1 is due");
  breaks(
      Rule::kSteps, [](Log& log) { log.of<messages::StepReport>(1, 0).step_ns = 0; },
      "step_ns = 0");
  breaks(
      Rule::kSteps, [](Log& log) { log.of<messages::StepReport>(1, 2).samples = 0; },
      "samples = 0");
  // Steps begin later after a resume.
  Log later;
  for (const Rank rank : {0, 1}) {
    later.of<messages::RankHello>(rank).first_step = 7;
    for (std::size_t i = 0; i < 3; ++i)
      later.of<messages::StepReport>(rank, i).step = 7 + static_cast<Step>(i);
  }
  CHECK(result_of(Rule::kSteps, later.received()).verdict == Verdict::kPass);
}

TEST_CASE("phases do not overlap, and unknown values are marked as such") {
  breaks(
      Rule::kPhases, [](Log& log) { log.of<messages::StepReport>(0, 1).optimizer_ns = kStep; },
      "must not overlap");
  breaks(
      Rule::kPhases, [](Log& log) { log.of<messages::StepReport>(0, 1).forward_ns = -7; }, "-7 ns");
  breaks(
      Rule::kUnknown,
      [](Log& log) {
        for (std::size_t i = 0; i < 3; ++i) log.of<messages::StepReport>(1, i).loss = std::nanf("");
      },
      "AD DE C0 7F");
  Log unknown;
  for (std::size_t i = 0; i < 3; ++i)
    unknown.of<messages::StepReport>(1, i).loss = messages::kUnknownF;
  // A loss that became NaN at the end was computed.
  unknown.of<messages::StepReport>(0, 2).loss = std::nanf("");
  CHECK(result_of(Rule::kUnknown, unknown.received()).verdict == Verdict::kPass);
}

TEST_CASE("a step of which only the end is known breaks no rule") {
  Log log;
  auto& step = log.of<messages::StepReport>(0, 0);
  step.step_ns = -1;
  step.samples = -1;
  step.lr = std::nan("");
  for (const Rule rule : {Rule::kSteps, Rule::kPhases, Rule::kUnknown, Rule::kBuckets})
    CHECK(result_of(rule, log.received()).verdict == Verdict::kPass);
}

TEST_CASE("buckets lie within their step") {
  breaks(
      Rule::kBuckets, [](Log& log) { log.of<messages::BucketReport>(0, 1).ready_ns = 5; },
      "CLOCK_MONOTONIC");
  breaks(
      Rule::kBuckets,
      [](Log& log) { log.of<messages::BucketReport>(0, 1).reduced_ns = kBegin + kStep; },
      "before it was ready");
  breaks(
      Rule::kBuckets, [](Log& log) { log.of<messages::BucketReport>(0, 1).step = 9; },
      "no such step");
  breaks(
      Rule::kBuckets, [](Log& log) { log.of<messages::BucketReport>(0, 1).step = 0; }, "twice");
}

TEST_CASE("collectives belong to a group that was reported, and their numbers ascend") {
  using messages::CollectiveReport;
  const auto group_missing = [](Log& log) { log.of<CollectiveReport>(0, 1).group = 7; };
  breaks(Rule::kCollectives, group_missing, "no GroupReport came before it");
  const auto non_member = [](Log& log) { log.of<messages::GroupReport>(1).ranks = {0}; };
  breaks(Rule::kCollectives, non_member, "is not one of its ranks");
  const auto again = [](Log& log) { log.of<CollectiveReport>(1, 2).number = 1; };
  breaks(Rule::kCollectives, again, "2 is due");
  const auto early = [](Log& log) { log.of<CollectiveReport>(0, 0).done_ns = kBegin - 5; };
  breaks(Rule::kCollectives, early, "was done before it was entered");
  // A send has a number of its own.
  Log log;
  auto& sent = log.of<CollectiveReport>(0, 1);
  sent.operation = static_cast<std::uint8_t>(messages::Collective::kSend);
  sent.number = 0;
  sent.peer = 1;
  CHECK(result_of(Rule::kCollectives, log.received()).verdict == Verdict::kPass);
}

TEST_CASE("a collective is reported again when it is done, and only then") {
  using messages::CollectiveReport;
  Log log;
  auto& again = log.of<CollectiveReport>(1, 2);
  again = log.of<CollectiveReport>(1, 1);
  REQUIRE(again.done_ns == -1);
  CHECK(result_of(Rule::kCollectives, log.received()).verdict == Verdict::kFail);
  again.done_ns = again.issued_ns;
  CHECK(result_of(Rule::kCollectives, log.received()).verdict == Verdict::kPass);
}

TEST_CASE("sums of epochs are plausible, and time stamps are within the run") {
  breaks(
      Rule::kEpochs, [](Log& log) { log.of<messages::EpochReport>(0).correct = 25; },
      "25 correct of 24");
  breaks(
      Rule::kEpochs, [](Log& log) { log.of<messages::EpochReport>(0).steps = 4; },
      "steps = 4, and 3");
  breaks(
      Rule::kEpochs, [](Log& log) { log.of<messages::EpochReport>(0).seconds = -1; }, "-1 s");
  breaks(
      Rule::kClock,
      [](Log& log) { log.received().reported[1].stamp.mono_ns = 1'700'000'000'000'000'000; },
      "record 0 of rank 0");
}

TEST_CASE("a run that fails, or does not stop when asked to, does not conform") {
  Log failed(State::kFailed);
  CHECK(result_of(Rule::kEnd, failed.received()).verdict == Verdict::kFail);
  Log log;
  StopSeen late = stopped_well();
  late.seconds = 10.5;
  CHECK(result_of(Rule::kStop, log.received(), late).told.find("10.5 s") != std::string::npos);
  CHECK(result_of(Rule::kStop, log.received(), late).verdict == Verdict::kFail);
  const StopSeen broken{true, 1, failed.received()};
  CHECK(result_of(Rule::kStop, log.received(), broken).verdict == Verdict::kFail);
}
