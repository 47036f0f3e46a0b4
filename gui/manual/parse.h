// Parses the Markdown of a topic, as far as assets/manual/FORMAT.md allows it, with md4c.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gui/manual/page.h"

namespace ringside::manual {

/// Never fails: text that breaks the format is shown as plain text if possible, and listed in
/// Page::faults.
Page parse_page(const std::string& topic, std::string_view markdown);

}  // namespace ringside::manual
