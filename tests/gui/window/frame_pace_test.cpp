#include "gui/window/frame_pace.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("frames for new data are rare where ranks fill the processors, and by what they take") {
  CHECK(window::data_frame_s(0.2, false) == Approx(1.0 / 30));
  CHECK(window::data_frame_s(0.0001, true) == Approx(1.0 / 30));
  CHECK(window::data_frame_s(0.008, true) == Approx(0.4));
  CHECK(window::data_frame_s(0.2, true) == Approx(1.0));
}
