#include "gui/view/report/markup.h"

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

}  // namespace ringside::view
