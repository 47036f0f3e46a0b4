// Reads W&B's records of a run: its history, name, settings and end. Pure; any thread.
#pragma once

#include <string_view>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

/// False: it is not a record, or an incomplete one. `next_step`: step of a history record without
/// one.
bool read_wandb_record(std::string_view bytes, const Place& place, Step& next_step,
                       Findings& found);

}  // namespace ringside::watch
