// A run's program as it may be shown and stored: without its secrets, as text. Any thread.
#pragma once

#include <string_view>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// kHiddenSecret in the place of every secret of its command line and of its environment, and of
/// those of this process that stand there again; kNoText in that of each byte that is not UTF-8.
ProgramSpec without_secrets(ProgramSpec program);

/// U+FFFD, the replacement character.
inline constexpr std::string_view kNoText = "\xEF\xBF\xBD";

}  // namespace ringside::messages
