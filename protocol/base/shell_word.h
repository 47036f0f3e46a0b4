// Commands to copy. Pure; any thread.
#pragma once

#include <string>

namespace ringside {

/// `text` as one word of a shell: quoted where it must be.
std::string shell_word(const std::string& text);

}  // namespace ringside
