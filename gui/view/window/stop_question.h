// The question before a stop, by what can be stopped. Pure.
#pragma once

#include <string>

#include "gui/model/run_model_fwd.h"
#include "gui/view/run_context.h"

namespace ringside::view {

struct StopQuestion {
  std::string text;
  const char* stop = "";  ///< the coloured answer
  bool now = true;        ///< it can also be stopped at once, without a checkpoint
  const char* keep = "";
};

/// `model` may be null. The question names the run that follows this one, which then never starts.
StopQuestion stop_question(const model::RunModel* model, const RunContext& context);

}  // namespace ringside::view
