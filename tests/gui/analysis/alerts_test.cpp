#include "gui/analysis/alerts.h"

#include <algorithm>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

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

TEST_CASE("A run in order raises nothing") {
  const auto model = played(quiet(4));
  CHECK(alerts(model, model.last_ns(), live()).empty());
}

TEST_CASE("A loss that is no number is told once per rank, with its first step") {
  support::DemoOptions options = quiet(4);
  options.nan_from = 100;
  const auto model = played(options);
  const auto found = of_kind(alerts(model, model.last_ns(), after()), AlertKind::kLossNotFinite);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rank == 1);
  CHECK(found[0].step == 100);
  CHECK(found[0].count == 20);
  CHECK(found[0].severity == Severity::kError);
}

TEST_CASE("A program that never says its loss is not broken, ours is") {
  messages::RunSpec spec;
  spec.program.argv = {"prog"};
  model::RunModel foreign(spec);
  model::RunModel ours;
  for (Step step = 0; step < 5; ++step) {
    messages::StepReport body;
    body.step = step;
    foreign.accept({0, 0, static_cast<std::uint64_t>(step), 1}, body);
    ours.accept({0, 0, static_cast<std::uint64_t>(step), 1}, body);
  }
  CHECK(non_finite_losses(foreign, 0).count == 0);
  CHECK(non_finite_losses(ours, 0).count == 5);
  CHECK(non_finite_losses(ours, 3).count == 0);
}

TEST_CASE("The rank with the fewest steps is named when all fall silent") {
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

TEST_CASE("When all stand at the same step each is named silent") {
  MadeRun run(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    run.rank_state(rank, 0, State::kTraining);
    run.step(rank, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  }
  CHECK(of_kind(alerts(run.model(), MadeRun::kStart + MadeRun::ns(30'000), live()),
                AlertKind::kRankSilent)
            .size() == 2);
}

TEST_CASE("A rank that evaluates, waits to begin or has ended is not silent") {
  MadeRun run(1);
  CHECK(silent_seconds(*run.model().rank(0), MadeRun::kStart + MadeRun::ns(99'000)) == 0);
  run.step(0, 0, 100, {0, 0, 0, 1, -1, 0, 10});
  run.rank_state(0, 200, State::kEvaluating);
  CHECK(silent_seconds(*run.model().rank(0), MadeRun::kStart + MadeRun::ns(99'000)) == 0);
  // Back to training: the clock begins anew.
  run.rank_state(0, 50'000, State::kTraining);
  CHECK(silent_seconds(*run.model().rank(0), MadeRun::kStart + MadeRun::ns(51'000)) == Approx(1.0));
  CHECK(silent_seconds(*run.model().rank(0), 0) == 0);
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

TEST_CASE("A run that failed without a failed rank says so itself") {
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

TEST_CASE("Lost records and restarts are told per rank") {
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
  CHECK(of_kind(found, AlertKind::kRestarted).size() == 2);
}

TEST_CASE("Of notices the newest of each code and rank is told, information is not") {
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

TEST_CASE("Records that made no sense are told") {
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
