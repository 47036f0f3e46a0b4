// A rank that only reports steps at a steady rate through the trainer's own reporter, to measure
// how long a record takes to the screen. Started by an agent as program.argv: paced_rank STEPS
// MICROSECONDS_PER_STEP.
#include <unistd.h>
#include <ctime>

#include <cstdio>
#include <cstdlib>

#include "protocol/base/clock.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/states.h"
#include "protocol/messages/step_records.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/telemetry/lifeline.h"
#include "trainer/telemetry/reporter.h"

using namespace ringside;

namespace {

int environment_number(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : -1;
}

// The sleep is the load to be measured, not a way to wait for an event.
void sleep_until(std::int64_t mono_ns) {
  const timespec until{static_cast<time_t>(mono_ns / 1'000'000'000), mono_ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

messages::StepReport report(Step step, std::int64_t step_ns) {
  messages::StepReport said;
  said.step = step;
  said.samples = 32;
  said.loss = 2.0F + static_cast<float>(step % 100) / 100.0F;
  said.forward_ns = step_ns / 4;
  said.backward_ns = step_ns / 2;
  said.step_ns = step_ns;
  return said;
}

int run(const char* folder, Step steps, std::int64_t step_ns) {
  const telemetry::Lifeline lifeline(environment_number("RINGSIDE_LIFELINE_FD"),
                                     [] { telemetry::leave_without_agent(); });
  const int rank = environment_number("RANK");
  telemetry::Reporter reporter(
      runlog::RunFolder(folder).agent_path(),
      {environment_number("RINGSIDE_NODE"), rank, environment_number("RINGSIDE_ATTEMPT")});
  messages::RankHello hello;
  hello.pid = ::getpid();
  hello.local_rank = rank;
  hello.world_size = environment_number("WORLD_SIZE");
  hello.attempt = environment_number("RINGSIDE_ATTEMPT");
  hello.device_uuid = "cpu";
  hello.backend = "none";
  hello.steps_per_epoch = steps;
  hello.epochs = 1;
  reporter.post(hello);
  messages::RankState state;
  state.state = messages::State::kTraining;
  state.about = rank;
  reporter.post(state);
  const std::int64_t begin_ns = mono_now_ns();
  for (Step step = 0; step < steps && reporter.stop_request() == telemetry::StopRequest::kNone;
       ++step) {
    sleep_until(begin_ns + (step + 1) * step_ns);
    reporter.post(report(step, step_ns));
  }
  state.state = messages::State::kFinished;
  reporter.post(state);
  reporter.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* folder = std::getenv("RINGSIDE_RUN_DIR");
  if (argc != 3 || folder == nullptr) {
    std::fprintf(stderr, "usage, under an agent: paced_rank STEPS MICROSECONDS_PER_STEP\n");
    return 2;
  }
  return run(folder, std::atoll(argv[1]), std::atoll(argv[2]) * 1000);
}
