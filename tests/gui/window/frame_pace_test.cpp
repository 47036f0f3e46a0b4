#include "gui/window/frame_pace.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE(
    "frames for new data are rarer if ranks use all processors, in proportion to their cost") {
  CHECK(window::data_frame_s(0.2, false) == Approx(1.0 / 30));
  CHECK(window::data_frame_s(0.0001, true) == Approx(1.0 / 30));
  CHECK(window::data_frame_s(0.008, true) == Approx(0.4));
  CHECK(window::data_frame_s(0.2, true) == Approx(1.0));
}

TEST_CASE("input is shown at once, however far apart frames for new data are") {
  window::FramePace pace;
  pace.begin(10, true);
  pace.keep_apart(1);
  pace.owe();
  CHECK(pace.due_s(10) == Approx(11));
  pace.settle(10.2);
  CHECK(pace.due_s(10.2) < 10.1);
  // Three frames show the previous frame's records; the new data is shown when it is due.
  for (const double at : {10.2, 10.22, 10.24}) {
    CHECK(pace.due_s(at) <= at);
    CHECK_FALSE(pace.takes_data(at));
    pace.begin(at, false);
  }
  CHECK(pace.due_s(10.25) == Approx(11));
  CHECK(pace.takes_data(11));
}

TEST_CASE("continuous input does not keep new data from the screen") {
  window::FramePace pace;
  pace.begin(10, true);
  pace.keep_apart(0.5);
  int with_data = 0;
  for (double at = 10; at < 12; at += 0.05) {
    pace.settle(at);
    const bool data = pace.takes_data(at);
    with_data += data ? 1 : 0;
    pace.begin(at, data);
    pace.owe();
  }
  CHECK(with_data >= 3);
}

TEST_CASE("a window settles after input and then draws nothing") {
  window::FramePace pace;
  pace.settle(1);
  double now = 1;
  int frames = 0;
  for (; pace.due_s(now) < 100; ++frames) {
    now = std::max(now, pace.due_s(now));
    pace.begin(now, pace.takes_data(now));
  }
  CHECK(frames > 40);
  CHECK(now < 2);
}
