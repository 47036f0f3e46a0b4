// Promise R10, goal 12 in short (crash_bench makes 1,000 trials): a killed writer loses at most
// what it was writing, damage stays where it is, and the log is continued.
#include "tests/protocol/runlog/crash_trial.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {

TEST_CASE("R10: a log survives the kill of its writer, a torn end and a flipped bit") {
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
  CHECK(recovered > 1'000);  // something was written at all
}

}  // namespace ringside::runlog
