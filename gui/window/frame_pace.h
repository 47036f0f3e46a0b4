// Decides when the window draws its next frame. Input is shown at once; new data waits longer while
// ranks compute on this host's processors, so that the window takes no core from them. Pure.
#pragma once

namespace ringside::window {

/// Seconds between the beginnings of two frames for new data: 1/30, or, while ranks compute on
/// fully used processors (`full`), long enough for frames to use 1/50 of one core, but at most 1.
/// `frame_cpu_s`: processor time of the last frame, all threads.
double data_frame_s(double frame_cpu_s, bool full);

/// Times of all functions are seconds of the same clock.
class FramePace {
 public:
  /// Called after input, whose consequences are drawn soon.
  void settle(double now);
  /// Called when there is new data to show.
  void owe() { data_waits_ = true; }
  /// Whether the next frame may show new records. A frame for input that comes earlier shows the
  /// records of the last frame, so that only what the input changed is painted.
  bool takes_data(double now) const { return now >= data_begun_at_ + data_frame_s_; }
  void begin(double now, bool with_data);
  /// Sets the minimum time between frames for new data.
  void keep_apart(double seconds) { data_frame_s_ = seconds; }
  /// Time at which a frame is due; infinite if nothing is left to show.
  double due_s(double now) const;

 private:
  double begun_at_ = 0;
  double data_begun_at_ = 0;  ///< beginning of the last frame with new records
  double settled_at_ = 0;
  int settle_frames_ = 0;  ///< remaining frames that are due regardless of time
  double data_frame_s_ = 0;
  bool data_waits_ = true;
};

}  // namespace ringside::window
