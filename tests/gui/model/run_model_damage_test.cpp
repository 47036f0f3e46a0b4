// Problems in the records: lost ones, resumes, restarts of hosts, invalid senders.
#include <cmath>

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using model::Metric;
using model::RunModel;

namespace {

RunModel run_model_damage_played(const support::DemoOptions& options) {
  RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  return model;
}

messages::StepReport step_report(Step step, float loss) {
  messages::StepReport body;
  body.step = step;
  body.loss = loss;
  body.samples = 1;
  body.step_ns = 5;
  return body;
}

}  // namespace

TEST_CASE("Lost records are counted per sender") {
  support::DemoOptions options = support::demo_small(4);
  options.lose_every = 10;
  const RunModel model = run_model_damage_played(options);
  CHECK(model.rank(0)->counts.lost == 12);
  CHECK(model.rank(0)->steps_reported == 108);
  CHECK(model.rank(1)->counts.lost == 0);
  CHECK(model.lost_records() == 12);
  CHECK_FALSE(model.rank(0)->series(Metric::kLoss).has(9));
  CHECK_FALSE(model.mean_loss().has(9));
  CHECK(model.mean_loss().has(10));
}

TEST_CASE("Records lost after the last received one are known from the goodbye") {
  RunModel model;
  model.accept({0, 0, 0, 1}, step_report(0, 1));
  messages::RankGoodbye goodbye;
  goodbye.produced = 10;
  goodbye.dropped = 8;
  model.accept({0, 0, 9, 2}, goodbye);
  CHECK(model.rank(0)->counts.lost == 8);
  messages::RankGoodbye more;
  more.produced = 15;
  model.accept({0, 0, 10, 3}, more);
  CHECK(model.rank(0)->counts.lost == 12);
}

TEST_CASE("R8: A missing goodbye counts as a lost record") {
  model::RunModel model(support::demo_spec(support::demo_small(1)));
  model.accept({0, kNoRank, 0, 1},
               messages::Notice{messages::Severity::kWarning, "no_goodbye", ""});
  CHECK(model.lost_records() == 1);
}

TEST_CASE("Steps are missing where records were lost, not where none was reported") {
  RunModel model;
  messages::RankHello hello;
  model.accept({0, 0, 0, 1}, hello);
  std::uint64_t seq = 1;
  const auto say = [&](Step step, std::uint64_t lost = 0) {
    seq += lost;
    model.accept({0, 0, seq++, 10 + step}, step_report(step, 1));
  };
  const auto gap = [&](Step step) { return model.rank(0)->gaps.touch(step, step + 1); };
  for (const Step step : {0, 1, 2}) say(step);
  say(6, 3);
  for (const Step step : {3, 4, 5}) CHECK(gap(step));
  CHECK_FALSE(gap(2));
  CHECK_FALSE(gap(6));
  CHECK(model.rank(0)->gaps.touch(0, 100));
  // A program reports every tenth step, and another of its records between two of them is lost.
  for (const Step step : {10, 20, 30}) say(step);
  say(40, 1);
  CHECK_FALSE(model.rank(0)->gaps.touch(6, 41));
  say(60, 1);
  CHECK(gap(50));
  // Gaps of a discarded attempt are forgotten with it.
  hello.first_step = 50;
  model.accept({0, 0, 0, 100}, hello);
  CHECK(gap(45));
  CHECK_FALSE(gap(50));
}

TEST_CASE(
    "R8: Steps that an attempt trained but did not report count as lost where the next continues") {
  const bool said_goodbye = GENERATE(false, true);
  RunModel model;
  messages::RankHello hello;
  hello.world_size = 1;
  model.accept({0, 0, 0, 1}, hello);
  for (Step step = 0; step < 58; ++step)
    model.accept({0, 0, static_cast<std::uint64_t>(step) + 1, 2 + step}, step_report(step, 1));
  if (said_goodbye) {
    messages::RankGoodbye goodbye;
    goodbye.produced = 60;
    model.accept({0, 0, 59, 90}, goodbye);
  }
  // The next attempt continues from a checkpoint of step 60.
  hello.attempt = 1;
  hello.first_step = 60;
  model.accept({0, 0, 0, 100}, hello);
  model.accept({0, 0, 1, 101}, step_report(60, 1));
  CHECK(model.rank(0)->counts.lost == (said_goodbye ? 0 : 2));
  CHECK(model.rank(0)->gaps.touch(58, 60) == !said_goodbye);
  // A run that continues where the records end, or before, has lost nothing.
  for (const Step first : {61, 30}) {
    ++hello.attempt;
    hello.first_step = first;
    model.accept({0, 0, 0, 200}, hello);
    model.accept({0, 0, 1, 201}, step_report(first, 1));
  }
  CHECK(model.rank(0)->counts.lost == (said_goodbye ? 0 : 2));
}

TEST_CASE("However many records are lost, gaps are bounded and none is forgotten") {
  model::Gaps gaps;
  constexpr Step kGaps = 200'000;
  for (Step i = 0; i < kGaps; ++i) gaps.add(i * 10 + 3, i * 10 + 5);
  CHECK(gaps.memory_bytes() <= std::size_t{1} << 20);
  bool all = true;
  for (Step i = 0; i < kGaps; ++i) all = all && gaps.touch(i * 10 + 4, i * 10 + 5);
  CHECK(all);
  CHECK_FALSE(gaps.touch(0, 3));
  CHECK_FALSE(gaps.touch((kGaps - 1) * 10 + 5, kGaps * 10));
}

TEST_CASE("Sequence numbers that come twice are not a loss") {
  RunModel model;
  for (const std::uint64_t seq : {0U, 1U, 2U, 2U, 1U, 3U})
    model.accept({0, 0, seq, 1}, step_report(0, 1));
  CHECK(model.rank(0)->counts.lost == 0);
  CHECK(model.rank(0)->counts.repeated == 2);
  CHECK(model.rank(0)->counts.received == 6);
}

TEST_CASE("A resumed run replaces the steps that it trains again and keeps their order") {
  support::DemoOptions options = support::demo_small(4);
  options.steps = 100;
  options.resume_from = 80;
  options.resume_to = 120;
  const RunModel model = run_model_damage_played(options);
  for (const Rank number : model.ranks()) {
    const auto& rank = *model.rank(number);
    CHECK(rank.restarts == 1);
    CHECK(rank.hello->attempt == 1);
    CHECK(rank.steps_discarded == 20);
    CHECK(rank.steps_reported == 120);
    CHECK(rank.counts.lost == 0);
    for (std::size_t step = 1; step < 120; ++step)
      REQUIRE(rank.end_ns.at(step) > rank.end_ns.at(step - 1));
    CHECK(rank.end_ns.at(80) - rank.end_ns.at(79) > 20'000'000'000);
    for (const auto& bucket : rank.buckets) CHECK(bucket.step < 120);
  }
  CHECK(model.newest_common_step() == 119);
  for (std::size_t step = 0; step < 120; ++step) REQUIRE(model.mean_loss().has(step));
}

TEST_CASE(
    "The first rank that resumes does so for the run: until then records of the others are old") {
  RunModel model;
  messages::RankHello hello;
  hello.world_size = 2;
  for (const Rank rank : {0, 1}) model.accept({0, rank, 0, 1}, hello);
  const auto say = [&](Rank rank, std::uint64_t seq, Step step, float loss) {
    auto report = step_report(step, 1);
    report.loss = loss;
    model.accept({0, rank, seq, 10 + step}, report);
  };
  for (Step step = 0; step < 10; ++step) {
    if (step != 7) say(0, static_cast<std::uint64_t>(step) + 1, step, 1);
    if (step < 9) say(1, static_cast<std::uint64_t>(step) + 1, step, 1);
  }
  CHECK(model.mean_loss().size() == 9);
  hello.attempt = 1;
  hello.first_step = 6;
  model.accept({0, 0, 0, 100}, hello);
  const auto& other = *model.rank(1);
  CHECK(other.behind);
  CHECK(other.newest_step == 5);
  CHECK(model.newest_common_step() == 5);
  // This is the last record from before, from a node that is slow to send.
  say(1, 10, 9, 5);
  CHECK(other.newest_step == 5);
  CHECK(other.steps_discarded == 4);
  model.accept({0, 1, 0, 101}, hello);
  CHECK_FALSE(other.behind);
  for (Step step = 6; step < 8; ++step) {
    for (const Rank rank : {0, 1}) say(rank, static_cast<std::uint64_t>(step) - 5, step, 2);
  }
  CHECK(other.counts.lost == 0);
  CHECK(model.newest_common_step() == 7);
  // A step of which one rank's record was lost is counted again like any other.
  CHECK(model.rank(0)->steps_discarded == 3);
  REQUIRE(model.mean_loss().has(7));
  CHECK(model.mean_loss().at(7) == 2);
}

TEST_CASE("Restarted sequence numbers show an attempt whose hello was lost") {
  RunModel model;
  messages::RankHello hello;
  hello.world_size = 2;
  for (const Rank rank : {0, 1}) model.accept({0, rank, 0, 1}, hello);
  for (Step step = 0; step < 100; ++step)
    model.accept({0, 1, static_cast<std::uint64_t>(step) + 1, 10 + step}, step_report(step, 1));
  hello.attempt = 1;
  model.accept({0, 0, 0, 200}, hello);
  CHECK(model.rank(1)->newest_step == -1);
  model.accept({0, 1, 1, 201}, step_report(0, 1));
  CHECK(model.rank(1)->newest_step == 0);
}

TEST_CASE("Between the resume and its first step the run is at the step where it resumed") {
  support::DemoOptions options = support::demo_small(2);
  options.steps = 100;
  options.resume_from = 40;
  options.resume_to = 40;
  const RunModel model = run_model_damage_played(options);
  CHECK(model.newest_common_step() == 39);
  CHECK(model.steps_end() == 40);
  CHECK(model.mean_loss().size() == 40);
  CHECK(model.rank(0)->epoch(messages::Phase::kTrain, 0) != nullptr);
  CHECK(model.rank(0)->epoch(messages::Phase::kTrain, 1) == nullptr);
  CHECK(model.lr_changes().size() == 1);
}

TEST_CASE("A resume after a restart of the host keeps time going forward") {
  RunModel model;
  messages::RankHello hello;
  hello.wall_ns = 1'000'000'000'000;
  model.accept({0, 0, 0, 500'000'000'000}, hello);
  model.accept({0, 0, 1, 501'000'000'000}, step_report(0, 1));
  // The time is an hour later by the wall clock, and the monotonic clock starts at 20 s.
  hello.wall_ns += 3'600'000'000'000;
  hello.first_step = 1;
  model.accept({0, 0, 0, 20'000'000'000}, hello);
  model.accept({0, 0, 1, 21'000'000'000}, step_report(1, 1));
  CHECK(model.rank(0)->end_ns.at(1) - model.rank(0)->end_ns.at(0) == 3'600'000'000'000);
  CHECK(model.on_scale(0, 21'000'000'000) == model.rank(0)->end_ns.at(1));
  CHECK(model.last_ns() > model.first_ns());
}

TEST_CASE(
    "An agent's first record after a restart of the host is on the time scale of the run, too") {
  RunModel model;
  messages::RankState state;
  state.state = messages::State::kQueued;
  state.wall_ns = 1'000'000'000'000;
  model.accept({0, kNoRank, 0, 500'000'000'000}, state);
  state.wall_ns += 3'600'000'000'000;
  model.accept({0, kNoRank, 0, 20'000'000'000}, state);
  REQUIRE(model.run_states().size() == 2);
  CHECK(model.run_states()[1].at_ns - model.run_states()[0].at_ns == 3'600'000'000'000);
}

TEST_CASE("Nodes that were restarted with other clocks still give one time scale") {
  constexpr std::int64_t kS = 1'000'000'000;
  RunModel model;
  messages::RankState state;
  state.state = messages::State::kQueued;
  const auto begins = [&](Node node, std::int64_t wall_ns, std::int64_t mono_ns) {
    state.wall_ns = wall_ns;
    model.accept({node, kNoRank, 0, mono_ns}, state);
  };
  const auto heard = [&](Rank rank) { return model.rank(rank)->last_record_ns; };
  begins(0, 10'000 * kS, 1000 * kS);
  begins(1, 10'000 * kS, 5000 * kS);
  model.accept({0, kNoRank, 1, 1000 * kS}, messages::ClockSync{1, 4000 * kS, 1000});
  model.accept({1, 1, 0, 5010 * kS}, step_report(0, 1));
  CHECK(heard(1) == 1010 * kS);
  // Both machines were restarted, and node 1 reports first. The wall clocks are used until the
  // others are compared.
  begins(1, 10'100 * kS, 9000 * kS);
  model.accept({1, 1, 1, 9001 * kS}, step_report(1, 1));
  CHECK(heard(1) == 1101 * kS);
  begins(0, 10'100 * kS, 50 * kS);
  model.accept({1, 1, 2, 9002 * kS}, step_report(2, 1));
  CHECK(heard(1) == 1102 * kS);
  CHECK(model.clock_offset(1).uncertainty_ns >= 10 * kS);
  model.accept({0, kNoRank, 2, 51 * kS}, messages::ClockSync{1, 8950 * kS + 7, 1000});
  model.accept({1, 1, 3, 9003 * kS + 7}, step_report(3, 1));
  CHECK(heard(1) == 1103 * kS);
  CHECK(model.clock_offset(1).uncertainty_ns == 1000);
  model.accept({0, 0, 0, 53 * kS}, step_report(0, 1));
  CHECK(heard(0) == 1103 * kS);
}

TEST_CASE("A node's wall clock time is converted by that node's clock, not by another's") {
  constexpr std::int64_t kS = 1'000'000'000;
  RunModel model;
  messages::RankState state;
  state.state = messages::State::kStarting;
  const auto begins = [&](Node node, std::int64_t wall_ns, std::int64_t mono_ns) {
    state.wall_ns = wall_ns;
    model.accept({node, kNoRank, 0, mono_ns}, state);
  };
  CHECK_FALSE(model.wall_offset_ns());
  CHECK_FALSE(model.time_of_wall(0, 10'000 * kS));
  // Node 1 reports first. It was started 4,000 s before node 0, and its wall clock is 30 s ahead.
  begins(1, 10'030 * kS, 5000 * kS);
  begins(0, 10'000 * kS, 1000 * kS);
  CHECK(model.wall_offset_ns() == 9000 * kS);
  CHECK(model.time_of_wall(0, 10'007 * kS) == 1007 * kS);
  // A node without records has the clock of node 0.
  CHECK(model.time_of_wall(2, 10'007 * kS) == 1007 * kS);
  model.accept({1, kNoRank, 1, 5000 * kS}, messages::ClockSync{0, -4000 * kS, 1000});
  CHECK(model.time_of_wall(1, 10'037 * kS) == 1007 * kS);
  // After a restart it is 2 s ahead, as its wall clock changed by more than a usual correction.
  begins(1, 10'102 * kS, 50 * kS);
  model.accept({1, kNoRank, 2, 50 * kS}, messages::ClockSync{0, 1050 * kS, 1000});
  CHECK(model.time_of_wall(1, 10'109 * kS) == 1107 * kS);
}

TEST_CASE("Without records of node 0 the time of day comes from another node") {
  constexpr std::int64_t kS = 1'000'000'000;
  RunModel model;
  messages::RankHello hello;
  hello.wall_ns = 10'000 * kS;
  model.accept({1, 1, 0, 5000 * kS}, hello);
  CHECK(model.wall_offset_ns() == 5000 * kS);
  model.accept({1, kNoRank, 0, 5000 * kS}, messages::ClockSync{0, -4000 * kS, 1000});
  CHECK(model.wall_offset_ns() == 9000 * kS);
  CHECK(model.time_of_wall(1, 10'007 * kS) == 1007 * kS);
}

TEST_CASE("Impossible steps, epochs and ranks are refused and counted") {
  RunModel model;
  model.accept({0, 0, 0, 1}, step_report(Step{1} << 50, 1));
  model.accept({0, 0, 1, 1}, step_report(-3, 1));
  CHECK(model.refused().step_out_of_range == 2);
  messages::BucketReport bucket;
  bucket.step = Step{1} << 40;
  model.accept({0, 0, 2, 1}, bucket);
  CHECK(model.refused().step_out_of_range == 3);
  messages::EpochReport epoch;
  epoch.epoch = std::numeric_limits<Epoch>::max();
  model.accept({0, 0, 3, 1}, epoch);
  CHECK(model.refused().epoch_out_of_range == 1);
  epoch.epoch = 0;
  epoch.phase = static_cast<messages::Phase>(9);
  model.accept({0, 0, 4, 1}, epoch);
  CHECK(model.refused().epoch_out_of_range == 2);
  model.accept({0, 100'000, 0, 1}, step_report(0, 1));
  model.accept({0, -5, 0, 1}, step_report(0, 1));
  auto unknown = step_report(0, 1);
  unknown.epoch = -1;
  model.accept({0, 0, 5, 1}, unknown);
  CHECK(model.refused().epoch_out_of_range == 2);
  model.accept({0, kNoRank, 0, 1}, step_report(0, 1));
  CHECK(model.refused().rank_out_of_range == 3);
  messages::RankState state;
  state.about = 1 << 20;
  model.accept({0, kNoRank, 1, 1}, state);
  CHECK(model.refused().rank_out_of_range == 4);
  CHECK(model.memory_bytes() < 4'000'000);
}

TEST_CASE("The number of stored names is bounded") {
  RunModel model;
  constexpr std::size_t kNames = 20'000;
  for (std::size_t i = 0; i < kNames; ++i) {
    model.accept({0, kNoRank, 0, 1}, messages::Scalar{"s" + std::to_string(i), 0, 1.0});
    messages::DeviceSample sample;
    sample.device_uuid = "d" + std::to_string(i);
    model.accept({0, kNoRank, 0, 1}, sample);
  }
  CHECK(model.scalars().names().size() == model::ScalarStore::kMostNames);
  CHECK(model.devices().size() == model::kMaxNames);
  CHECK(model.refused().too_many_names ==
        2 * kNames - model::ScalarStore::kMostNames - model::kMaxNames);
}

TEST_CASE("A NaN loss stays visible and affects only its own step") {
  support::DemoOptions options = support::demo_small(4);
  options.nan_from = 100;
  const RunModel model = run_model_damage_played(options);
  const auto& loss = model.rank(1)->series(Metric::kLoss);
  CHECK(loss.has(100));
  CHECK(std::isnan(loss.at(100)));
  CHECK(loss.extremes(0, 120).flags == model::kHasNan);
  CHECK(loss.extremes(0, 100).flags == 0);
  CHECK(model.mean_loss().extremes(100, 101).flags == model::kHasNan);
  CHECK(model.rank(0)->series(Metric::kLoss).extremes(0, 120).flags == 0);
}

TEST_CASE("A loss that is NaN from the first step is unknown unless the sender has bits for that") {
  for (const char* versions : {"", "PyTorch 2.11.0"}) {
    messages::RunSpec spec;
    spec.program.argv = {"train"};
    RunModel model(spec);
    messages::RankHello hello;
    hello.versions = versions;
    model.accept({0, 0, 0, 1}, hello);
    messages::StepReport body;
    body.loss = std::numeric_limits<float>::quiet_NaN();
    model.accept({0, 0, 1, 2}, body);
    CHECK(model.rank(0)->series(Metric::kLoss).has(0) == (*versions != 0));
    body.step = 1;
    body.loss = messages::kUnknownF;
    model.accept({0, 0, 2, 3}, body);
    CHECK_FALSE(model.rank(0)->series(Metric::kLoss).has(1));
  }
}

TEST_CASE("A far first step, after a resume in a new folder, costs little memory") {
  RunModel model;
  messages::RankHello hello;
  hello.first_step = 50'000'000;
  model.accept({0, 0, 0, 1}, hello);
  model.accept({0, 0, 1, 2}, step_report(50'000'000, 0.5F));
  CHECK(model.refused().total() == 0);
  CHECK(model.rank(0)->series(Metric::kLoss).at(50'000'000) == 0.5F);
  CHECK(model.rank(0)->first_step == 50'000'000);
  CHECK(model.memory_bytes() < 8'000'000);
}
