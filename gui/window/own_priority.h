// The window never takes a core from ranks that compute on this host's processors: while it follows
// such a run its threads are nicer than they are. Main thread.
#pragma once

namespace ringside::window {

/// Seconds between the beginnings of two frames for new data: a thirtieth, and where ranks compute
/// on processors that are full so many that frames take a fiftieth of one core, but at most one.
/// `frame_cpu_s`: processor time that the last frame took, all threads.
double data_frame_s(double frame_cpu_s, bool full);

class OwnPriority {
 public:
  /// All threads but those of jobs, which start agents and ranks. The way back needs a right that
  /// an ordinary user seldom has (RLIMIT_NICE); without it the window stays as nice as it was.
  /// For every frame: what the kernel puts off is asked for again.
  void step_back(bool back);

 private:
  bool back_ = false;
  bool session_follows_ = true;
};

}  // namespace ringside::window
