// A run's program as it may be shown and stored: without its secrets. Any thread.
#pragma once

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// kHiddenSecret in the place of every secret of its command line and of its environment, and of
/// those of this process that stand there again.
ProgramSpec without_secrets(ProgramSpec program);

}  // namespace ringside::messages
