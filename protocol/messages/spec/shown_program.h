// A run's program as it may be shown and stored: as text, without its secrets. Any thread.
#pragma once

#include <string_view>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// Returns the program with kHiddenSecret in place of every secret in its command line and
/// environment, including those of this process's environment that appear there. A byte that is not
/// UTF-8 becomes kNoText.
ProgramSpec without_secrets(ProgramSpec program);

/// U+FFFD, the replacement character.
inline constexpr std::string_view kNoText = "\xEF\xBF\xBD";

}  // namespace ringside::messages
