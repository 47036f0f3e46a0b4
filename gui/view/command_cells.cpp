#include "gui/view/command_cells.h"

#include <algorithm>
#include <cstddef>

#include "protocol/base/shell_word.h"

namespace ringside::view {

void cut_commands(const std::vector<CommandCell>& lines) {
  using Words = std::vector<std::string>;
  if (lines.empty()) return;
  const Words& first = *lines.front().first;
  std::ptrdiff_t head = std::ssize(first);
  std::ptrdiff_t tail = head;
  for (const auto& [words, cell] : lines)
    head = std::mismatch(first.begin(), first.begin() + head, words->begin(), words->end()).first -
           first.begin();
  for (const auto& [words, cell] : lines) {
    tail = std::min({tail, std::ssize(*words) - head});
    tail = std::mismatch(first.rbegin(), first.rbegin() + tail, words->rbegin()).first -
           first.rbegin();
  }
  const bool same = std::all_of(lines.begin(), lines.end(),
                                [&](const auto& line) { return *line.first == first; });
  if (same) head = tail = 0;
  if (head > 0 && first[static_cast<std::size_t>(head - 1)].starts_with("-")) --head;
  for (const auto& [words, cell] : lines) {
    const std::string apart = shell_words({words->begin() + head, words->end() - tail});
    cell->hint = shell_words(*words);
    cell->text = (head > 0 ? "…" : "") + std::string(head > 0 && !apart.empty() ? " " : "") +
                 apart + (tail > 0 ? " …" : "");
  }
}

}  // namespace ringside::view
