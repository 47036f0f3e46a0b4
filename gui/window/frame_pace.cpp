#include "gui/window/frame_pace.h"

#include <algorithm>

namespace ringside::window {
namespace {

constexpr double kDataFrameS = 1.0 / 30;

}  // namespace

// A lower priority is no way to do this: it keeps input waiting, too, and between exchanges the
// ranks' cores look free, so that frames are drawn all the same and what the next step needs is
// gone from its caches.
double data_frame_s(double frame_cpu_s, bool full) {
  return full ? std::clamp(frame_cpu_s * 50, kDataFrameS, 1.0) : kDataFrameS;
}

}  // namespace ringside::window
