// Keys that are pressed and let go within one frame keep the modifiers they were pressed with.
#pragma once

#include <vector>

struct ImGuiInputEvent;

namespace ringside::window {

/// Holds back, as long as it lives, what of the waiting input of the current ImGui context belongs
/// to the next frame: everything from the first modifier that changes after another key went down.
/// ImGui reads the modifiers at the end of a frame: Ctrl and S, let go in this order before the
/// frame begins, would be an S alone.
class LaterInput {
 public:
  LaterInput();
  ~LaterInput();
  LaterInput(const LaterInput&) = delete;
  LaterInput& operator=(const LaterInput&) = delete;

 private:
  std::vector<ImGuiInputEvent> held_;
};

}  // namespace ringside::window
