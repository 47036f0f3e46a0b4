// A run's program as it may be shown and stored: without its secrets. Pure.
#pragma once

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// kHiddenSecret in the place of every secret of its command line and of its environment.
ProgramSpec without_secrets(ProgramSpec program);

}  // namespace ringside::messages
