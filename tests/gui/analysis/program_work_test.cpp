// Whether custom programs did equal work is judged from their records.
#include "gui/analysis/program_work.h"

#include "gui/analysis/scaling/speedup.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using ringside::support::MadeRun;

namespace {

/// A script with steps of 100 ms.
MadeRun script(Rank ranks, Step steps, std::int32_t samples, std::int64_t steps_per_epoch,
               double step_ms = 100) {
  messages::RunSpec spec;
  spec.program.argv = {"python", "train.py"};
  spec.devices.world_size = ranks;
  MadeRun run(spec, steps_per_epoch);
  for (Step step = 0; step < steps; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.step(rank, step, 1000 + step_ms * static_cast<double>(step + 1),
               {0, 0, 0, 1, -1, 0, step_ms}, samples);
    }
  }
  return run;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Epochs with equally many samples are the same work, within one step") {
  const MadeRun baseline = script(1, 20, 8, 10);
  CHECK(other_program_work(script(2, 10, 8, 5).model(), baseline.model(), false).empty());
  // The epoch has 96 samples and the baseline's 80, which differ by less than a step of 24.
  CHECK(other_program_work(script(3, 8, 8, 4).model(), baseline.model(), false).empty());
}

TEST_CASE("A script with as many steps on every rank did more work, and its pace is reported") {
  const MadeRun baseline = script(1, 20, 8, 10);
  const MadeRun run = script(2, 20, 8, 10);
  const std::string why = other_program_work(run.model(), baseline.model(), true);
  CHECK(has(why, "An epoch trained 160 samples, of the baseline 80"));
  CHECK(has(why, "samples/s are 2.00 times"));
  const Speedup found = speedup(run.model(), &baseline.model(), true);
  CHECK(found.missing == NoSpeedup::kDifferentWork);
  CHECK(found.why == why);
}

TEST_CASE("Without reported samples it is unknown whether the work was equal") {
  CHECK(has(other_program_work(script(2, 4, 0, 2).model(), script(1, 4, 0, 4).model(), true),
            "rs.log(samples=N)"));
}

TEST_CASE("A custom program and our trainer are not compared") {
  const MadeRun run = script(2, 4, 8, 2);
  MadeRun ours(1, 4, 1);
  CHECK(speedup(run.model(), &ours.model(), true).missing == NoSpeedup::kDifferentWork);
}
