// The words of the question before a stop, by what there is to stop. Pure.
#pragma once

#include "gui/model/run_model_fwd.h"

namespace ringside::view {

struct StopQuestion {
  const char* text = "";
  const char* stop = "";  ///< the answer in colour
  bool now = true;        ///< it can also be stopped without a checkpoint
  const char* keep = "";
};

/// `model` may be null.
StopQuestion stop_question(const model::RunModel* model);

}  // namespace ringside::view
