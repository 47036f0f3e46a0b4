// Promise R10 and a short version of goal 12 (crash_bench runs 1,000 trials): a killed writer loses
// at most what it was writing, damage stays local, and the log can be continued.
#include "tests/protocol/runlog/crash_trial.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {

TEST_CASE("R10: a log survives a killed writer, a torn end and a flipped bit") {
  const Damage damage = GENERATE(Damage::kNone, Damage::kCut, Damage::kFlip);
  TempFolder folder;
  std::uint64_t recovered = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const CrashTrial trial = run_crash_trial(folder.path() / "log", damage, seed);
    INFO("seed " << seed << ", acknowledged " << trial.acknowledged << ", recovered "
                 << trial.recovered);
    CHECK(trial.problem == "");
    recovered += trial.recovered;
  }
  CHECK(recovered > 1'000);  // the writers wrote something
}

}  // namespace ringside::runlog
