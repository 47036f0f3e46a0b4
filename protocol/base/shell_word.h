// Quotes words for a POSIX shell and splits typed command lines. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace ringside {

/// `text` as one word for a shell, quoted where needed.
std::string shell_word(const std::string& text);
/// The words joined by spaces, each quoted where needed.
std::string shell_words(const std::vector<std::string>& words);

/// Splits a line as a POSIX shell splits plain words: quotes and backslashes are removed, nothing
/// is expanded or redirected. A bad request names syntax that would need a shell, or a quote that
/// is not closed. split_words(shell_words(words)) gives `words` again.
Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace ringside
