#include "protocol/host/text_tail.h"

#include <algorithm>
#include <span>

#include "protocol/base/printable.h"
#include "protocol/host/files.h"

namespace ringside {
namespace {

constexpr std::size_t kLongestLine = 300;

// Cuts between characters and marks the cut.
std::string cut(std::string line) {
  if (line.size() <= kLongestLine) return line;
  std::size_t end = kLongestLine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

}  // namespace

std::string end_of_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const auto file = open_file(path, OpenMode::kRead);
  if (!file) return {};
  const auto size = (*file)->size();
  if (!size) return {};
  const std::uint64_t begin = *size > most_bytes ? *size - most_bytes : 0;
  std::string text(static_cast<std::size_t>(*size - begin), '\0');
  const auto got = (*file)->read_at(begin, std::as_writable_bytes(std::span(text)));
  if (!got) return {};
  text.resize(*got);
  // A first line whose beginning was cut off is skipped, unless it is all there is.
  const auto first = begin > 0 ? text.find('\n') : text.npos;
  return first != text.npos && first + 1 < text.size() ? text.substr(first + 1) : text;
}

std::vector<std::string> last_lines(const std::filesystem::path& path, std::size_t most_lines,
                                    std::size_t most_bytes) {
  const std::string text = end_of_file(path, most_bytes);
  std::vector<std::string> lines;
  for (std::size_t end = text.size(); end > 0 && lines.size() < most_lines;) {
    const auto newline = text.rfind('\n', end - 1);
    const std::size_t begin = newline == text.npos ? 0 : newline + 1;
    std::string_view line(text.data() + begin, end - begin);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(cut(printable_line(line)));
    end = newline == text.npos ? 0 : newline;
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace ringside
