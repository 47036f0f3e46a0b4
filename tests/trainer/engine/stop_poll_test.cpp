#include "trainer/engine/loop/stop_poll.h"

#include <array>

#include "tests/support/catch.h"
#include "tests/trainer/cuda/lagging_timeline.h"
#include "tests/trainer/dist/rank_threads.h"
#include "trainer/engine/loop/step_recorder.h"

using namespace ringside;
using namespace ringside::engine;
using testing::LaggingTimeline;
using testing::run_ranks;

// The first step on a GPU is not complete when its duration is first needed.
TEST_CASE("R7: a stop is noticed at once even while the first steps are running on the GPU") {
  constexpr Step kAsked = 3;
  std::array<Step, 2> stopped_after{};
  run_ranks(2, [&](const auto& groups) {
    LaggingTimeline timeline(30);
    telemetry::Reporter nobody;
    core::BucketTracker buckets;
    const dist::CollectiveWatch watch(groups, std::chrono::hours(1));
    StepRecorder recorder(timeline, nobody, buckets, watch);
    Step step = 0;
    StopPoll poll(groups, [&] { return groups.rank == 1 && step >= kAsked ? 1 : 0; });
    int stop = 0;
    while (stop == 0 && step < 2 * dist::StopConsensus::kMaxPause) {
      recorder.begin(0, step);
      for (const Mark mark : {Mark::kDataReady, Mark::kOnDevice, Mark::kForwardDone,
                              Mark::kBackwardDone, Mark::kOptimizerBegin, Mark::kOptimizerDone})
        recorder.mark(mark);
      recorder.end(4, 0.1, StepNumbers{});
      stop = poll.after_step(recorder.last_step_ns());
      ++step;
    }
    stopped_after[static_cast<std::size_t>(groups.rank)] = step;
  });
  CHECK(stopped_after[0] == stopped_after[1]);
  CHECK(stopped_after[0] > kAsked);
  CHECK(stopped_after[0] <= kAsked + 4);
}
