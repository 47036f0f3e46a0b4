// A run that came to its end with a loss that is no number: done, and worth nothing. Pure.
#pragma once

#include "gui/view/state_view.h"

namespace ringside::view {

/// As outcome_view(); a finished run whose loss broke says so in word, shape and colour.
StateView outcome_view(RunOutcome outcome, bool loss_broke);

}  // namespace ringside::view
