// State of the message in the corner for the main loop of the window. Main thread, after a frame
// was built.
#pragma once

namespace ringside::ui {

/// Whether the mouse is over the message, which is then being read.
bool message_hovered();

}  // namespace ringside::ui
