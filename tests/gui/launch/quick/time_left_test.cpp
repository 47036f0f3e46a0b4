#include "gui/launch/quick/time_left.h"

#include <vector>

#include "tests/support/catch.h"

using ringside::launch::RunTime;
using ringside::launch::time_left_s;

TEST_CASE("the time left of a study is that of the current run and of those to come") {
  const std::vector<RunTime> runs{{10, 0}, {20, 0}, {5, 0}};
  CHECK(time_left_s(runs, 0, 0, {}).value() == Approx(35));
  CHECK(time_left_s(runs, 0, 4, {}).value() == Approx(31));
  CHECK(time_left_s(runs, 0, 4, 7.0).value() == Approx(32));  // the run's own estimate
  CHECK(time_left_s(runs, 2, 4, {}).value() == Approx(1));
  CHECK(time_left_s(runs, 3, 0, {}).value() == 0);
}

TEST_CASE("later runs take longer if earlier ones took longer than expected") {
  const std::vector<RunTime> runs{{10, 15}, {20, 0}, {5, 0}};
  CHECK(time_left_s(runs, 1, 0, {}).value() == Approx(37.5));
  CHECK(time_left_s(runs, 1, 10, 2.0).value() == Approx(9.5));
}

TEST_CASE("a run that takes longer than expected is still given some time") {
  const std::vector<RunTime> runs{{10, 0}, {20, 0}};
  CHECK(time_left_s(runs, 0, 60, {}).value() == Approx(21));
}

TEST_CASE("nothing is reported unless every later run has an expected time") {
  const std::vector<RunTime> runs{{0, 0}, {0, 0}};
  CHECK_FALSE(time_left_s(runs, 0, 3, {}));
  CHECK_FALSE(time_left_s(runs, 0, 3, 5.0));
  CHECK(time_left_s(runs, 1, 3, 5.0).value() == Approx(5));
  CHECK_FALSE(time_left_s(runs, 1, 3, {}));
}
