// Lets keys that are pressed and released within one frame keep their modifiers.
#pragma once

#include <vector>

struct ImGuiInputEvent;

namespace ringside::window {

/// While it lives, holds back those input events of the current ImGui context that belong to the
/// next frame: all from the first change of a modifier after another key went down. ImGui reads the
/// modifiers at the end of a frame: Ctrl S, with Ctrl released before the frame begins, would be
/// only an S.
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
