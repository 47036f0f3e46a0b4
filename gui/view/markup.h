// Escapes text of other programs for the content and the attributes of SVG and HTML. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace ringside::view {

/// One line of text, whatever it contains: & < > " ' as entities; control characters and invalid
/// UTF-8 made visible as by printable_line().
std::string markup_text(std::string_view text);

/// Appends "<TAG MORE>text</TAG>"; `more` is inserted unchanged: " class=\"note\"".
void add_element(std::string& page, std::string_view tag, std::string_view text,
                 std::string_view more = {});

}  // namespace ringside::view
