#include "gui/session/machines/doctor_controller.h"

#include <semaphore>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;
using session::DoctorController;
using session::Jobs;

// No agent is beside this test program, so the checks cannot start.
TEST_CASE("checks that cannot start report why, and can be started again") {
  std::counting_semaphore<> woken(0);
  Jobs jobs([&woken] { woken.release(); });
  DoctorController doctor("/nonexistent", jobs, [] {});
  for (int times = 0; times < 2; ++times) {
    doctor.apply(view::ExamineTraining{true});
    CHECK(!doctor.view().progress.empty());
    REQUIRE(woken.try_acquire_for(testing::kPatience));
    CHECK(jobs.finish());
    CHECK(doctor.view().progress.empty());
    CHECK(doctor.view().problem.find("ringside-agent") != std::string::npos);
    CHECK(doctor.view().report.empty());
  }
}

TEST_CASE("the checks of the machine appear as rows as soon as they have a result") {
  std::counting_semaphore<> woken(0);
  Jobs jobs([&woken] { woken.release(); });
  DoctorController doctor("/nonexistent", jobs, [] {});
  CHECK(doctor.view().table.rows.empty());
  doctor.look();
  REQUIRE(woken.try_acquire_for(testing::kPatience));
  CHECK(jobs.finish());
  CHECK(!doctor.view().table.rows.empty());
  CHECK(!doctor.view().can_use_gpus);
}
