// Jobs at the end of the program: a job that hangs while reading does not delay closing.
#include "gui/session/jobs.h"

#include <atomic>
#include <future>
#include <new>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"

using namespace ringside;
using session::JobKind;
using session::Jobs;

TEST_CASE("closing waits for jobs that write, but not for a hanging driver, disk or machine") {
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  std::atomic<bool> written = false;
  std::atomic<int> woken = 0;
  const std::int64_t begun_ns = mono_now_ns();
  {
    Jobs jobs([&woken] { ++woken; });
    jobs.start(
        "hangs",
        [opened]() -> Jobs::Completion {
          opened.wait();
          return {};
        },
        JobKind::kReads);
    jobs.start(
        "far",
        [opened]() -> Jobs::Completion {
          opened.wait();
          return {};
        },
        JobKind::kFar);
    jobs.start("writes", [&written]() -> Jobs::Completion {
      written = true;
      return {};
    });
    CHECK(jobs.running("hangs"));
  }
  // Reading jobs are abandoned after 0.3 s and jobs on another machine at once; a writing job would
  // be waited for ten seconds.
  CHECK(mono_now_ns() - begun_ns < 10'000'000'000);
  CHECK(written);
  CHECK(woken <= 1);
  gate.set_value();
}

TEST_CASE("a job that throws ends with a problem that can be shown, and the next one runs") {
  std::promise<void> thrown;
  Jobs jobs([&thrown] { thrown.set_value(); });
  jobs.start("reading", []() -> Jobs::Completion { throw std::bad_alloc(); });
  thrown.get_future().wait();
  CHECK(jobs.finish());
  CHECK_FALSE(jobs.running("reading"));
  CHECK(jobs.take_problem() == "The work \"reading\" failed: std::bad_alloc");
  CHECK(jobs.take_problem().empty());
}
