// The window never takes a core from ranks that compute on this host's processors: while it follows
// such a run its threads are nicer than they are. Main thread.
#pragma once

namespace ringside::window {

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
