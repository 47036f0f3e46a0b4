// What W&B's records say of a run: its history, its name, its settings and its end. Pure; any
// thread.
#pragma once

#include <string_view>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

/// False: it is not one, or only in part. `next_step` is that of a history without a step.
bool read_wandb_record(std::string_view bytes, const Place& place, Step& next_step,
                       Findings& found);

}  // namespace ringside::watch
