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
  /// A frame begins that shows all there is.
  void begin(double now);
  /// Frames for new data begin at least so many seconds apart.
  void keep_apart(double seconds) { data_frame_s_ = seconds; }
  /// When a frame is due; infinite where nothing is left to show.
  double due_s(double now) const;

 private:
  double begun_at_ = 0;
  double settled_at_ = 0;
  int settle_frames_ = 0;  ///< so many are due, whatever the time
  double data_frame_s_ = 0;
  bool data_waits_ = true;
};

}  // namespace ringside::window
