// A speedup is fair, unfair or unknown, and the tone agrees.
#include "gui/view/fairness_words.h"

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using support::MadeRun;
using view::fairness_verdict;
using view::Tone;

namespace {

messages::RunSpec settings(Rank ranks) {
  messages::RunSpec spec;
  spec.devices.world_size = ranks;
  return spec;
}

/// Ten seconds of steps on two cores that the ranks have to themselves, with samples of their load.
MadeRun run_of(const messages::RunSpec& spec, bool with_readings = true) {
  MadeRun run(spec, 10, 1);
  const auto ranks = static_cast<Rank>(spec.devices.world_size);
  for (Step step = 0; step < 10; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank)
      run.step(rank, step, 2000 + 1000.0 * static_cast<double>(step), {0, 0, 1, 1, -1, 0, 1000});
  }
  for (int i = 0; with_readings && i < 24; ++i) {
    messages::HostSample sample;
    sample.cpu_pct = 48 * static_cast<float>(ranks);
    sample.rank_cpu_pct.assign(static_cast<std::size_t>(ranks), 95);
    sample.cpus = 2;
    sample.viewer_cpu_pct = 0;
    run.say(kNoRank, 500.0 * i + 1, sample);
  }
  return run;
}

}  // namespace

TEST_CASE("a speedup without a disturbance is fair, and each reason against it makes it unfair") {
  messages::RunSpec two = settings(2);
  two.batch.meaning = "global";
  messages::RunSpec one = settings(1);
  one.batch.meaning = "global";
  const MadeRun baseline = run_of(one);
  const auto fair = fairness_verdict(run_of(two).model(), baseline.model());
  INFO(fair.text);
  CHECK(fair.fair == true);
  CHECK_FALSE(fair.unfair());
  CHECK(fair.tone == Tone::kOk);
  CHECK(fair.told() == fair.text);
  two.train.seed = one.train.seed + 1;
  const auto unfair = fairness_verdict(run_of(two).model(), baseline.model());
  CHECK(unfair.fair == false);
  CHECK(unfair.unfair());
  CHECK(unfair.tone == Tone::kWarning);
  CHECK(unfair.told() == "Not fair: " + unfair.text);
}

TEST_CASE("for a script, and for a host without samples, fairness is unknown") {
  messages::RunSpec script = settings(2);
  script.program.argv = {"python3", "train.py"};
  const MadeRun run = run_of(script);
  const MadeRun unread = run_of(settings(1), false);
  for (const MadeRun* one : {&run, &unread}) {
    const auto verdict = fairness_verdict(one->model(), one->model());
    INFO(verdict.text);
    CHECK(verdict.text.starts_with("Fair as far as is known"));
    CHECK_FALSE(verdict.fair.has_value());
    CHECK_FALSE(verdict.unfair());
    CHECK(verdict.tone == Tone::kDim);
  }
}
