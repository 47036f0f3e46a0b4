#include "gui/session/studies/try_controller.h"

#include <semaphore>

#include "gui/model/run_model.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;
using session::Jobs;
using session::TryController;

// The test has no agent beside it, so the machine cannot be queried.
TEST_CASE("changes that cannot be tried show the reason, and nothing is launched") {
  std::counting_semaphore<> woken(0);
  Jobs jobs([&woken] { woken.release(); });
  session::MessageLine line;
  TryController tries("/nonexistent", jobs, line, [] {});
  tries.start({});
  CHECK_FALSE(jobs.running("try changes"));  // no run was passed to look()
  tries.look({runlog::RunFolder("/nonexistent/run"), 7}, true,
             model::RunModel(messages::RunSpec()));
  REQUIRE(woken.try_acquire_for(testing::kPatience));
  CHECK(jobs.finish());
  CHECK_FALSE(tries.view().can_start);
  CHECK(tries.view().subtitle.find("#7") != std::string::npos);
  CHECK_FALSE(tries.best());
}
