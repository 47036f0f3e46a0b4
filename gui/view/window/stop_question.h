// The question before a stop, by what can be stopped. Pure.
#pragma once

#include "gui/model/run_model_fwd.h"

namespace ringside::view {

struct StopQuestion {
  const char* text = "";
  const char* stop = "";  ///< the coloured answer
  bool now = true;        ///< it can also be stopped at once, without a checkpoint
  const char* keep = "";
};

/// `model` may be null.
StopQuestion stop_question(const model::RunModel* model);

}  // namespace ringside::view
