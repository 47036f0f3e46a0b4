// Goal 12: kills the writer of a log 1,000 times, cuts or corrupts the file, and reads it again.
// Usage: crash_bench [TRIALS]. Prints one line of JSON.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/bench/rounds.h"
#include "tests/protocol/runlog/crash_trial.h"

int main(int argc, char** argv) {
  using namespace ringside;
  using runlog::Damage;
  const int trials = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::string pattern = (std::filesystem::temp_directory_path() / "ringside-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  int good = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t lost = 0;
  const std::int64_t start_ns = mono_now_ns();
  for (int i = 0; i < trials; ++i) {
    const auto damage = static_cast<Damage>(i % 3);
    const auto trial = runlog::run_crash_trial(std::filesystem::path(pattern) / "log", damage,
                                               static_cast<std::uint64_t>(i));
    if (trial.problem.empty()) {
      ++good;
    } else {
      std::fprintf(stderr, "trial %d: %s\n", i, trial.problem.c_str());
    }
    acknowledged += trial.acknowledged;
    lost += trial.lost_after_ack;
  }
  std::filesystem::remove_all(pattern);
  std::printf(
      "{\"bench\":\"crash\",\"trials\":%d,\"kept\":%d,\"share_kept\":%f,"
      "\"acknowledged_records\":%llu,\"lost_after_acknowledgement\":%llu,%s}\n",
      trials, good, trials > 0 ? static_cast<double>(good) / trials : 0.0,
      static_cast<unsigned long long>(acknowledged), static_cast<unsigned long long>(lost),
      bench::field("seconds", bench::seconds_since(start_ns)).c_str());
  return good == trials ? 0 : 1;
}
