#include "gui/view/markup.h"

#include "protocol/base/printable.h"

namespace ringside::view {

std::string markup_text(std::string_view text) {
  std::string result;
  for (const char c : printable_line(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

void add_element(std::string& page, std::string_view tag, std::string_view text,
                 std::string_view more) {
  page.append("<").append(tag).append(more).append(">");
  page.append(markup_text(text)).append("</").append(tag).append(">");
}

}  // namespace ringside::view
