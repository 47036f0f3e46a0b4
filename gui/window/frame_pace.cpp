#include "gui/window/frame_pace.h"

#include <algorithm>
#include <limits>

namespace ringside::window {
namespace {

constexpr double kDataFrameS = 1.0 / 30;
constexpr double kInputFrameS = 1.0 / 60;
constexpr double kSettleS = 0.8;  // tooltips and focus settle within this time after input
constexpr int kSettleFrames = 3;  // minimum number of frames, for a busy machine

}  // namespace

// A lower process priority would not work: it delays input too, and between all-reduces the cores
// of the ranks look idle, so that frames would still be drawn and evict data of the next step from
// the caches.
double data_frame_s(double frame_cpu_s, bool full) {
  return full ? std::clamp(frame_cpu_s * 50, kDataFrameS, 1.0) : kDataFrameS;
}

void FramePace::settle(double now) {
  settled_at_ = now + kSettleS;
  settle_frames_ = kSettleFrames;
}

void FramePace::begin(double now, bool with_data) {
  begun_at_ = now;
  if (with_data) {
    data_begun_at_ = now;
    data_waits_ = false;
  }
  settle_frames_ = std::max(0, settle_frames_ - 1);
}

double FramePace::due_s(double now) const {
  if (settle_frames_ > 0) return begun_at_ + kInputFrameS;
  if (data_waits_) return data_begun_at_ + data_frame_s_;
  return now < settled_at_ ? begun_at_ + kInputFrameS : std::numeric_limits<double>::infinity();
}

}  // namespace ringside::window
