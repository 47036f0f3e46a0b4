#include "gui/analysis/alerts/alerts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "gui/model/rank_model.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"
#include "tests/support/failed_run.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Severity;
using messages::State;
using support::MadeRun;

namespace {

model::RunModel played(const support::DemoOptions& options) {
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  return model;
}

support::DemoOptions quiet(Rank ranks) {
  support::DemoOptions options = support::demo_small(ranks);
  options.late_rank = kNoRank;
  return options;
}

std::vector<Alert> of_kind(const std::vector<Alert>& all, AlertKind kind) {
  std::vector<Alert> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const Alert& alert) { return alert.kind == kind; });
  return found;
}

AlertLimits live() { return {}; }
AlertLimits after() {
  AlertLimits limits;
  limits.live = false;
  return limits;
}

}  // namespace

TEST_CASE("A healthy run raises no alert") {
  const auto model = played(quiet(4));
  CHECK(alerts(model, model.last_ns(), live()).empty());
}

TEST_CASE("A loss that is NaN or Inf is reported once per rank, with its first step") {
  support::DemoOptions options = quiet(4);
  options.nan_from = 100;
  const auto model = played(options);
  const auto found = of_kind(alerts(model, model.last_ns(), after()), AlertKind::kLossNotFinite);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rank == 1);
  CHECK(found[0].broken.origin_known());
  CHECK(found[0].step == 100);
  CHECK(found[0].count == 20);
  CHECK(found[0].severity == Severity::kError);
}

TEST_CASE("A broken gradient is reported at once, and stays one alert when the loss follows") {
  MadeRun run(2);
  const auto step = [&](Rank rank, Step number, std::int32_t buckets, float loss) {
    messages::StepReport body;
    body.step = number;
    body.loss = loss;
    body.step_ns = 1'000'000;
    body.non_finite_buckets = buckets;
    run.say(rank, static_cast<double>(number), body);
  };
  const auto told = [&] {
    return of_kind(alerts(run.model(), run.model().last_ns(), live()), AlertKind::kLossNotFinite);
  };
  for (Rank rank = 0; rank < 2; ++rank) step(rank, 0, 0, 1);
  step(1, 1, 2, 1);
  CHECK(told().empty());  // the other rank's report is still to come
  step(0, 1, 0, 1);
  const auto first = told();
  REQUIRE(first.size() == 1);
  CHECK(first[0].rank == 1);
  CHECK(first[0].step == 1);
  for (Rank rank = 0; rank < 2; ++rank) step(rank, 2, 2, std::nanf(""));
  const auto then = told();
  REQUIRE(then.size() == 1);
  CHECK(then[0].rank == 1);
  CHECK(then[0].broken.step == 2);
  CHECK(key_of(then[0]) == key_of(first[0]));
}

TEST_CASE("A loss that is not reported is unknown, and a computed NaN is broken") {
  messages::RunSpec foreign_spec;
  foreign_spec.program.argv = {"prog"};
  const auto with_losses = [](const messages::RunSpec& spec, const std::vector<float>& losses) {
    model::RunModel model(spec);
    for (std::size_t step = 0; step < losses.size(); ++step) {
      messages::StepReport body;
      body.step = static_cast<Step>(step);
      body.loss = losses[step];
      model.accept({0, 0, step, 1}, body);
    }
    return model;
  };
  const float nan = std::nanf("");
  const float unknown = messages::kUnknownF;
  // The bits of the NaN distinguish them, whichever program reports it.
  CHECK(non_finite_losses(with_losses({}, {unknown, unknown}), 0).count == 0);
  CHECK(non_finite_losses(with_losses(foreign_spec, {1, unknown, unknown}), 0).count == 0);
  // Our trainer reports NaN only for a broken loss; a custom program may mean that it is unknown.
  CHECK(non_finite_losses(with_losses({}, {nan, nan}), 0).count == 2);
  CHECK(non_finite_losses(with_losses(foreign_spec, {nan, nan}), 0).count == 0);
  const auto broke = with_losses(foreign_spec, {0.5F, nan, nan});
  CHECK(non_finite_losses(broke, 0).first == 1);
  CHECK(non_finite_losses(broke, 0).count == 2);
  CHECK(non_finite_losses(broke, 3).count == 0);
  CHECK_FALSE(broken_loss(with_losses({}, {unknown, 1, unknown})));
}

TEST_CASE("If all ranks fall silent, the one with the fewest steps is named") {
  MadeRun run(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    run.rank_state(rank, 0, State::kTraining);
    for (Step step = 0; step < (rank == 1 ? 4 : 5); ++step)
      run.step(rank, step, 100, {0, 0, 0, 1, -1, 0, 10});
  }
  const auto soon = alerts(run.model(), MadeRun::kStart + MadeRun::ns(5'000), live());
  CHECK(of_kind(soon, AlertKind::kRankHung).empty());
  const auto later = alerts(run.model(), MadeRun::kStart + MadeRun::ns(20'100), live());
  const auto hung = of_kind(later, AlertKind::kRankHung);
  REQUIRE(hung.size() == 1);
  CHECK(hung[0].rank == 1);
  CHECK(hung[0].seconds == Approx(20.0));
  CHECK(hung[0].step == 3);
  CHECK(of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(20'100), after()),
                AlertKind::kRankHung)
            .empty());
}

TEST_CASE("If all are at the same step, each is named silent") {
  MadeRun run(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    run.rank_state(rank, 0, State::kTraining);
    run.step(rank, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  }
  CHECK(of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(30'000), live()),
                AlertKind::kRankSilent)
            .size() == 2);
}

TEST_CASE(
    "A rank that has sent its goodbye is not silent, however long its program takes to exit") {
  MadeRun run(1);
  run.rank_state(0, 0, State::kTraining);
  run.step(0, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  const auto silent = [&] {
    return of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(30'000), live()),
                   AlertKind::kRankSilent)
        .size();
  };
  CHECK(silent() == 1);
  run.model().accept({0, 0, 99, MadeRun::kStart + MadeRun::ns(110)}, messages::RankGoodbye{});
  CHECK(silent() == 0);
}

TEST_CASE(
    "A silent rank's last collective is reported only if it was entered after its newest step") {
  const double at_ms = GENERATE(50.0, 200.0);
  MadeRun run(1);
  run.step(0, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  messages::RankState state;
  state.state = State::kTraining;
  state.about = 0;
  state.last_collective = "broadcast of the first weights";
  run.model().accept({0, 0, 99, MadeRun::kStart + MadeRun::ns(at_ms)}, state);
  const auto silent = of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(30'000), live()),
                              AlertKind::kRankSilent);
  REQUIRE(silent.size() == 1);
  CHECK(silent[0].text == (at_ms > 100 ? state.last_collective : ""));
}

TEST_CASE("Among ranks at the same step the one that has not entered a collective is named") {
  MadeRun run(3);
  const auto stands = [&](Rank rank, double at_ms, const std::string& collective) {
    messages::RankState state;
    state.state = State::kTraining;
    state.about = rank;
    state.last_collective = collective;
    run.say(rank, at_ms, state);
  };
  for (Rank rank = 0; rank < 3; ++rank) {
    run.rank_state(rank, 0, State::kTraining);
    run.step(rank, 0, 100, {0, 0, 0, 1, -1, 0, 10});
    stands(rank, 5'100, rank == 1 ? "bucket 1, number 8" : "bucket 0, number 9");
  }
  const auto silent = [&](double at_ms) {
    return alerts(run.model(), MadeRun::kStart + MadeRun::ns(at_ms), live());
  };
  // A rank that reports where it waits makes no progress by that.
  CHECK(of_kind(silent(9'000), AlertKind::kRankHung).empty());
  const auto found = silent(10'200);
  CHECK(of_kind(found, AlertKind::kRankSilent).empty());
  const auto hung = of_kind(found, AlertKind::kRankHung);
  REQUIRE(hung.size() == 1);
  CHECK(hung[0].rank == 1);
  CHECK(hung[0].awaited == "bucket 0, number 9");
  CHECK(hung[0].seconds == Approx(10.1));
  stands(1, 12'000, "bucket 0, number 9");
  CHECK(of_kind(silent(12'100), AlertKind::kRankSilent).size() == 3);
}

TEST_CASE("A rank counts as silent after the time that its agent allows") {
  MadeRun run(1);
  run.rank_state(0, 0, State::kTraining);
  for (Step step = 0; step < 50; ++step)
    run.step(0, step, 100.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 100});
  const auto at = [&](double s) {
    return of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(5'000 + 1000 * s), live()),
                   AlertKind::kRankSilent);
  };
  CHECK(at(9.9).empty());
  CHECK(at(10).size() == 1);
}

TEST_CASE("A rank that evaluates, waits to begin or has ended is not silent") {
  MadeRun run(1);
  CHECK(silent_seconds(run.model(), *run.model().rank(0), MadeRun::kStart + MadeRun::ns(99'000)) ==
        0);
  run.step(0, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  run.rank_state(0, 200, State::kEvaluating);
  CHECK(silent_seconds(run.model(), *run.model().rank(0), MadeRun::kStart + MadeRun::ns(99'000)) ==
        0);
  // When the rank trains again, its time limit starts anew.
  run.rank_state(0, 50'000, State::kTraining);
  CHECK(silent_seconds(run.model(), *run.model().rank(0), MadeRun::kStart + MadeRun::ns(51'000)) ==
        Approx(1.0));
  CHECK(silent_seconds(run.model(), *run.model().rank(0), 0) == 0);
}

TEST_CASE("A killed rank comes first, with its signal and the agent's words") {
  support::DemoOptions options = quiet(4);
  options.finish = false;
  options.killed_rank = 3;
  const auto model = played(options);
  const auto found = alerts(model, model.last_ns(), after());
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == AlertKind::kRankFailed);
  CHECK(found[0].rank == 3);
  CHECK(found[0].signal == 9);
  CHECK(found[0].step == 119);
  CHECK(of_kind(found, AlertKind::kRunFailed).empty());
}

TEST_CASE("The rank that failed first is listed before those that failed because of it") {
  model::RunModel model;
  messages::RankState state;
  state.state = State::kFailed;
  for (const Rank rank : {2, 0, 1}) {
    const auto failed_ns = 10 + 5 * ((rank + 1) % 3);  // 2, 0, 1
    model.accept({0, rank, 0, failed_ns}, state);
  }
  const auto found = of_kind(alerts(model, 100, after()), AlertKind::kRankFailed);
  REQUIRE(found.size() == 3);
  CHECK(found[0].rank == 2);
  CHECK(found[1].rank == 0);
}

TEST_CASE("A run that failed without a failed rank is reported itself") {
  model::RunModel model;
  messages::RankState state;
  state.state = State::kFailed;
  state.text = "rendezvous timed out";
  model.accept({0, kNoRank, 0, 5}, state);
  const auto found = alerts(model, 5, after());
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == AlertKind::kRunFailed);
  CHECK(found[0].text == "rendezvous timed out");
}

TEST_CASE("A node that is gone comes before the ranks that it brought down") {
  model::RunModel model;
  support::play_failure({1, 0}, support::kNodeGone, model);
  const auto found = alerts(model, model.last_ns(), after());
  REQUIRE(found.size() == 3);
  CHECK(found[0].kind == AlertKind::kRunFailed);
  CHECK(found[0].text == support::kNodeGone);
  CHECK(found[1].kind == AlertKind::kRankFailed);
  CHECK(found[1].rank == 1);
  CHECK(found[2].rank == 0);
}

TEST_CASE("The rank that is the cause comes before its victims, which reported earlier") {
  model::RunModel model;
  support::play_failure({0, 1, 3}, "node 1 (b): rank 3: killed by SIGKILL", model);
  const auto found = alerts(model, model.last_ns(), after());
  REQUIRE(found.size() == 3);
  for (const Alert& alert : found) CHECK(alert.kind == AlertKind::kRankFailed);
  CHECK(found[0].rank == 3);
  CHECK(found[1].rank == 0);
  CHECK(found[2].rank == 1);
}

TEST_CASE("Lost records are reported per rank, and a resume once") {
  support::DemoOptions options = quiet(2);
  options.lose_every = 10;
  options.resume_from = 80;
  options.resume_to = 120;
  const auto model = played(options);
  const auto found = alerts(model, model.last_ns(), after());
  const auto lost = of_kind(found, AlertKind::kRecordsLost);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].rank == 0);
  CHECK(lost[0].count == 16);
  const auto restarted = of_kind(found, AlertKind::kRestarted);
  REQUIRE(restarted.size() == 1);
  CHECK(restarted[0].rank == kNoRank);
  CHECK(restarted[0].step == 80);
}

TEST_CASE("A restart belongs to the run as soon as the first rank has restarted") {
  model::RunModel model;
  const auto begin = [&](Rank rank, std::int32_t attempt, std::int64_t at_ns) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.attempt = attempt;
    model.accept({0, rank, 0, at_ns}, hello);
  };
  const auto told = [&] { return of_kind(alerts(model, 100, after()), AlertKind::kRestarted); };
  begin(0, 0, 10);
  begin(1, 0, 11);
  CHECK(told().empty());
  for (const Rank rank : {0, 1}) {
    begin(rank, 1, 20 + rank);
    REQUIRE(told().size() == 1);
    CHECK(told()[0].rank == kNoRank);
    CHECK(told()[0].count == 1);
  }
}

TEST_CASE("A rank's failure belongs to its attempt, and is over once it has begun the next") {
  model::RunModel model;
  messages::RankHello hello;
  hello.world_size = 2;
  for (const Rank rank : {0, 1}) model.accept({0, rank, 0, 10}, hello);
  messages::RankState state;
  state.state = State::kFailed;
  state.about = 1;
  model.accept({0, kNoRank, 0, 20}, state);
  const auto failed = [&] { return of_kind(alerts(model, 100, live()), AlertKind::kRankFailed); };
  REQUIRE(failed().size() == 1);
  const std::string key = key_of(failed()[0]);
  hello.attempt = 1;
  model.accept({0, 0, 0, 30}, hello);
  REQUIRE(failed().size() == 1);
  CHECK(key_of(failed()[0]) == key);
  model.accept({0, 1, 0, 31}, hello);
  CHECK(failed().empty());
}

TEST_CASE("A rank of a killed attempt is not silent in the next one") {
  MadeRun run(1);
  messages::RankState of_run;
  of_run.state = State::kTraining;
  run.say(kNoRank, 0, of_run);
  run.rank_state(0, 0, State::kTraining);
  run.step(0, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  const auto silent = [&] {
    return of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(60'000), live()),
                   AlertKind::kRankSilent)
        .size();
  };
  CHECK(silent() == 1);
  of_run.state = State::kStarting;
  of_run.attempt = 1;
  run.say(kNoRank, 60'000, of_run);
  CHECK(silent() == 0);
}

TEST_CASE("The newest notice of each code and rank is reported, but not plain information") {
  model::RunModel model;
  const auto say = [&](Rank rank, Severity severity, const char* code, const char* text) {
    model.accept({0, rank, 0, 1}, messages::Notice{severity, code, text});
  };
  say(kNoRank, Severity::kWarning, "disk", "old");
  say(kNoRank, Severity::kWarning, "disk", "new");
  say(0, Severity::kWarning, "disk", "rank 0");
  say(0, Severity::kInfo, "hello", "nothing");
  say(0, Severity::kError, "oom", "bad");
  const auto found = alerts(model, 1, after());
  REQUIRE(of_kind(found, AlertKind::kNotice).size() == 3);
  CHECK(found[0].text == "bad");
  CHECK(found[0].severity == Severity::kError);
  CHECK(std::none_of(found.begin(), found.end(),
                     [](const Alert& alert) { return alert.text == "old"; }));
}

TEST_CASE("Records with impossible values are reported") {
  model::RunModel model;
  messages::StepReport body;
  body.step = -1;
  model.accept({0, 0, 0, 1}, body);
  const auto found = alerts(model, 1, after());
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == AlertKind::kRefusedRecords);
  CHECK(found[0].count == 1);
}

TEST_CASE("A late rank is a warning below every error") {
  support::DemoOptions options = support::demo_small(4);
  options.nan_from = 110;
  const auto model = played(options);
  const auto found = alerts(model, model.last_ns(), after());
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == AlertKind::kLossNotFinite);
  CHECK(found[1].kind == AlertKind::kStraggler);
  CHECK(found[1].late.rank == 2);
}

TEST_CASE("A straggler belongs to the current attempt") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  auto model = played(options);
  const auto late = [&] {
    return of_kind(alerts(model, model.last_ns(), live()), AlertKind::kStraggler).size();
  };
  CHECK(late() == 1);
  messages::RankHello hello = *model.rank(0)->hello;
  hello.attempt = 1;
  hello.first_step = 120;
  for (Rank rank = 0; rank < 4; ++rank) model.accept({0, rank, 0, model.last_ns() + 1}, hello);
  CHECK(late() == 0);
}

TEST_CASE("Each rule can be switched off separately, but not the end of a run") {
  support::DemoOptions options = support::demo_small(4);
  options.nan_from = 110;
  options.finish = false;
  options.killed_rank = 3;
  const auto model = played(options);
  const auto kinds = [&](AlertLimits limits) {
    std::vector<AlertKind> all;
    for (const Alert& alert : alerts(model, model.last_ns(), limits)) all.push_back(alert.kind);
    return all;
  };
  AlertLimits limits = after();
  const auto has = [&](AlertKind kind) {
    const auto all = kinds(limits);
    return std::find(all.begin(), all.end(), kind) != all.end();
  };
  CHECK(has(AlertKind::kLossNotFinite));
  CHECK(has(AlertKind::kStraggler));
  limits.off.set(static_cast<std::size_t>(AlertRule::kNotFinite));
  CHECK_FALSE(has(AlertKind::kLossNotFinite));
  CHECK(has(AlertKind::kStraggler));
  limits.off.set();
  CHECK(kinds(limits) == std::vector<AlertKind>{AlertKind::kRankFailed});
  limits.log_problem = "No space left on device";
  const auto found = alerts(model, model.last_ns(), limits);
  REQUIRE(found.size() == 2);
  CHECK(found[1].kind == AlertKind::kLogProblem);
  CHECK(found[1].text == "No space left on device");
}

TEST_CASE("A rank with long steps is silent only after five of them") {
  MadeRun run(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    run.rank_state(rank, 0, State::kTraining);
    for (Step step = 0; step < 50; ++step)
      run.step(rank, step, 10'000.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 10'000});
  }
  const auto at = [&](double s) {
    return of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(500'000 + 1000 * s), live()),
                   AlertKind::kRankSilent);
  };
  CHECK(at(13).empty());
  CHECK(at(49).empty());
  CHECK(at(51).size() == 2);
  // The long step ends at last, and the report of one rank is still to come.
  run.step(0, 50, 600'000, {0, 0, 0, 1, -1, 0, 100'000});
  const auto hung = [&](double ms) {
    const std::int64_t now_ns = MadeRun::kStart + MadeRun::ns(600'000 + ms);
    return of_kind(alerts(run.model(), now_ns, live()), AlertKind::kRankHung).size();
  };
  CHECK(hung(100) == 0);
  CHECK(hung(2'100) == 1);
}

TEST_CASE("Every kind and rule has a name of its own") {
  std::set<std::string_view> names;
  for (const AlertKindInfo& info : kAlertKindInfos) names.insert(info.name);
  CHECK(names.size() == kAlertKindInfos.size());
  names.clear();
  for (const AlertRuleInfo& info : kAlertRuleInfos) names.insert(info.name);
  CHECK(names.size() == kAlertRules);
}
