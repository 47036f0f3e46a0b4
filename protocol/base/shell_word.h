// Words of a command line as a shell writes them: to copy, and as typed. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace ringside {

/// `text` as one word of a shell: quoted where it must be.
std::string shell_word(const std::string& text);
/// The words with spaces between, each quoted where it must be.
std::string shell_words(const std::vector<std::string>& words);

/// What a POSIX shell makes of a line of plain words: quotes and backslashes are taken off. Nothing
/// is expanded or redirected here, so a bad request names what would need a shell, and a quote that
/// is not closed. split_words(shell_words(words)) gives `words` again.
Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace ringside
