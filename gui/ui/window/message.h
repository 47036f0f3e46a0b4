// What the loop of the window asks about the message in the corner. Main thread, after a frame was
// built.
#pragma once

namespace ringside::ui {

/// True while the mouse is over the message, which then is being read.
bool message_hovered();

}  // namespace ringside::ui
