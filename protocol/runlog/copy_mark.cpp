#include "protocol/runlog/copy_mark.h"

#include <sstream>
#include <system_error>

#include "protocol/base/text.h"
#include "protocol/host/files.h"

namespace ringside::runlog {

std::optional<CopyMark> copy_mark(const RunFolder& folder) {
  const auto text = read_text(folder.path() / kCopyMarkFile, std::size_t{64} << 10U);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  CopyMark mark;
  std::getline(lines, mark.machine);
  for (std::string line; std::getline(lines, line);) {
    if (const auto node = whole_number(line)) mark.live.insert(static_cast<Node>(*node));
  }
  return mark;
}

bool is_copy(const RunFolder& folder) {
  std::error_code ignored;
  return copy_mark(folder) ||
         std::filesystem::exists(folder.path().parent_path() / kCopiedQueueFile, ignored);
}

Result<void> mark_copy(const RunFolder& folder, const CopyMark& mark) {
  if (copy_mark(folder) == mark) return {};
  std::string text = mark.machine + "\n";
  for (const Node node : mark.live) text += std::to_string(node) + "\n";
  return write_text_atomically(folder.path() / kCopyMarkFile, text);
}

}  // namespace ringside::runlog
