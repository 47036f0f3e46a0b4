// The whole manual: the installed topics, and one that is generated from the window's keys. Reading
// accesses files; any thread.
#pragma once

#include "gui/manual/manual.h"

namespace ringside::view {

/// The topic "keys": every key of the window.
manual::Page keys_page();

/// The topics of this installation, and the topic "keys".
Result<manual::Manual> read_whole_manual();

}  // namespace ringside::view
