// When the window draws its next frame. Input is answered at once; data waits longer where ranks
// compute on this host's processors, so that the window takes no core from them. Pure.
#pragma once

namespace ringside::window {

/// Seconds between the beginnings of two frames for new data: a thirtieth, and where ranks compute
/// on processors that are full so many that frames take a fiftieth of one core, but at most one.
/// `frame_cpu_s`: processor time that the last frame took, all threads.
double data_frame_s(double frame_cpu_s, bool full);

/// Times in seconds of one clock.
class FramePace {
 public:
  /// A hand did something: what it leads to is shown soon.
  void settle(double now);
  /// There is something new to show.
  void owe() { data_waits_ = true; }
  /// Whether the next frame may show new records. A frame for input that comes earlier shows the
  /// records of the last frame, so that only what the input changed is painted.
  bool takes_data(double now) const { return now >= data_begun_at_ + data_frame_s_; }
  /// A frame begins.
  void begin(double now, bool with_data);
  /// Frames for new data begin at least so many seconds apart.
  void keep_apart(double seconds) { data_frame_s_ = seconds; }
  /// When a frame is due; infinite where nothing is left to show.
  double due_s(double now) const;

 private:
  double begun_at_ = 0;
  double data_begun_at_ = 0;  ///< the last frame that took new records
  double settled_at_ = 0;
  int settle_frames_ = 0;  ///< so many are due, whatever the time
  double data_frame_s_ = 0;
  bool data_waits_ = true;
};

}  // namespace ringside::window
