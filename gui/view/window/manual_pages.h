// The whole manual: the topics that are installed, and one that is made of what the window knows
// itself, its keys. Reading looks at files; any thread.
#pragma once

#include "gui/manual/manual.h"

namespace ringside::view {

/// The topic "keys": every key of the window.
manual::Page keys_page();

/// The topics of this installation, and that one.
Result<manual::Manual> read_whole_manual();

}  // namespace ringside::view
