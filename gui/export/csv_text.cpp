#include "gui/export/csv_text.h"

namespace ringside::exporting {
namespace {

bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\0", 7).find(text.front()) != text.npos;
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  return text.front() == ' ' || text.back() == ' ' ||
         text.find_first_of(std::string_view(",\"\r\n\0", 5)) != text.npos;
}

}  // namespace

char* put_text(char* at, std::string_view text) {
  const bool quoted = needs_quotes(text);
  if (quoted) *at++ = '"';
  if (looks_like_formula(text)) *at++ = '\'';
  if (!quoted) return put_raw(at, text);
  for (const char c : text) {
    if (c == '"') *at++ = '"';
    *at++ = c;
  }
  *at++ = '"';
  return at;
}

}  // namespace ringside::exporting
