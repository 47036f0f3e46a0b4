// Reads the Markdown of a topic, as far as assets/manual/FORMAT.md has it; md4c does the parsing.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gui/manual/page.h"

namespace ringside::manual {

/// Never fails: what does not keep to the format is shown as plain text where there is any, and
/// stands in Page::faults.
Page parse_page(const std::string& topic, std::string_view markdown);

}  // namespace ringside::manual
