#include "trainer/core/loss_watch.h"

#include <cmath>

#include "protocol/messages/record_types.h"
#include "tests/support/catch.h"

using namespace ringside;
using core::LossVerdict;
using core::LossWatch;

TEST_CASE("no loss ends a run unless requested") {
  for (const char* allowed : {"none", "never"}) {
    LossWatch watch(allowed);
    CHECK_FALSE(watch.on());
    watch.add(0, NAN);
    CHECK(watch.verdict() == LossVerdict::kFine);
  }
}

TEST_CASE("a loss of NaN or Inf ends a run, and an unknown one does not") {
  LossWatch watch("nan");
  watch.add(0, messages::kUnknownF);
  watch.add(1, 2.0F);
  CHECK(watch.verdict() == LossVerdict::kFine);
  watch.add(2, INFINITY);
  watch.add(3, 1.0F);
  CHECK(watch.verdict() == LossVerdict::kNotFinite);
  CHECK(watch.step() == 2);
  CHECK(core::failure_text(LossVerdict::kNotFinite, watch) ==
        "the loss is NaN or Inf, on this rank in step 3; train.stop_on ends the run for it");
  CHECK(core::failure_text(LossVerdict::kNotFinite, LossWatch("nan")) ==
        "the loss is NaN or Inf; train.stop_on ends the run for it");
}

TEST_CASE("divergence is twice the first loss over fifty steps, not one bad batch") {
  LossWatch watch("divergence");
  for (Step step = 0; step < 100; ++step) watch.add(step, step == 60 ? 1e6F : 2.0F);
  CHECK(watch.verdict() == LossVerdict::kFine);
  for (Step step = 100; step < 160; ++step) watch.add(step, 4.5F);
  CHECK(watch.verdict() == LossVerdict::kDiverged);
  LossWatch resumed("divergence");
  for (Step step = 1000; step < 1160; ++step) resumed.add(step, step < 1050 ? 1.0F : 9.0F);
  CHECK(resumed.verdict() == LossVerdict::kFine);
  LossWatch only_nan("nan");
  for (Step step = 0; step < 160; ++step) only_nan.add(step, step < 50 ? 1.0F : 9.0F);
  CHECK(only_nan.verdict() == LossVerdict::kFine);
}
