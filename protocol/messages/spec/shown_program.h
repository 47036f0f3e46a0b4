// A run's program as it may be shown and stored: without its secrets, as text. Any thread.
#pragma once

#include <string_view>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// Returns the program with kHiddenSecret in place of every secret of its command line and
/// environment, and of secrets of this process's environment that appear in them. A byte that is
/// not UTF-8 becomes kNoText.
ProgramSpec without_secrets(ProgramSpec program);

/// U+FFFD, the replacement character.
inline constexpr std::string_view kNoText = "\xEF\xBF\xBD";

}  // namespace ringside::messages
