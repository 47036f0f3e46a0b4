#include "gui/cli/print/live_block.h"

#include <algorithm>

#include "gui/cli/print/terminal.h"

namespace ringside::cli {

void LiveBlock::draw(const std::string& text) {
  if (!shown_) return;
  const auto width = static_cast<std::size_t>(std::max(20, columns_of(stream_) - 1));
  const int most = std::max(1, rows_of(stream_) - 1);  // more lines would scroll
  std::string out = back_to_start();
  lines_ = 0;
  for (std::size_t at = 0; at < text.size() && lines_ < most;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += cut_to(text.substr(at, end - at), width) + "\x1b[K\n";
    ++lines_;
    at = end + 1;
  }
  print(stream_, out + "\x1b[J");
}

void LiveBlock::clear() {
  if (shown_ && lines_ > 0) print(stream_, back_to_start() + "\x1b[J");
  lines_ = 0;
}

std::string LiveBlock::back_to_start() const {
  return lines_ == 0 ? "" : "\x1b[" + std::to_string(lines_) + "F";
}

}  // namespace ringside::cli
