// Text of others between the tags and inside the attributes of SVG and HTML. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace ringside::view {

/// One line that is text whatever stands in it: & < > " ' as entities, and what steers or is no
/// UTF-8 made visible as printable_line() does.
std::string markup_text(std::string_view text);

/// Appends "<TAG MORE>text</TAG>"; `more` is put in as it is: " class=\"note\"".
void add_element(std::string& page, std::string_view tag, std::string_view text,
                 std::string_view more = {});

}  // namespace ringside::view
