#include "gui/view/live/log_selection.h"

#include <algorithm>
#include <utility>

#include "gui/view/words.h"

namespace ringside::view {
namespace {

bool comes_before(const LogPlace& a, const LogPlace& b) {
  return a.line != b.line ? a.line < b.line : a.byte < b.byte;
}

/// The first and the last position of a selection.
std::pair<LogPlace, LogPlace> ordered(const LogSelection& selection) {
  const bool turned = comes_before(selection.head, selection.anchor);
  return turned ? std::pair(selection.head, selection.anchor)
                : std::pair(selection.anchor, selection.head);
}

bool find_again(std::span<const LogLine> lines, LogPlace& place) {
  if (place.line < lines.size() && lines[place.line].key == place.key) return true;
  const auto found = std::ranges::find(lines, place.key, &LogLine::key);
  if (found == lines.end()) return false;
  place.line = static_cast<std::size_t>(found - lines.begin());
  return true;
}

bool parts_words(char c) {
  constexpr std::string_view kBetween = " ()[]{}<>\"'`,;=|";
  return kBetween.find(c) != std::string_view::npos;
}

}  // namespace

std::optional<LogPart> LogSelection::part_of(std::size_t line, std::size_t size) const {
  const auto [first, last] = ordered(*this);
  if (!any() || line < first.line || line > last.line) return std::nullopt;
  LogPart part{0, size, line < last.line};
  if (line == first.line) part.begin = std::min(first.byte, size);
  if (line == last.line) part.end = std::min(last.byte, size);
  return part;
}

void LogSelection::follow(std::span<const LogLine> lines) {
  if (any() && !(find_again(lines, anchor) && find_again(lines, head))) *this = {};
}

LogPart word_around(std::string_view text, std::size_t byte) {
  if (text.empty()) return {};
  const std::size_t at = std::min(byte, text.size() - 1);
  if (parts_words(text[at])) return {at, at + 1};
  LogPart word{at, at};
  while (word.begin > 0 && !parts_words(text[word.begin - 1])) --word.begin;
  while (word.end < text.size() && !parts_words(text[word.end])) ++word.end;
  return word;
}

LogSelection whole_line(std::span<const LogLine> lines, std::size_t line) {
  const LogLine& one = lines[line];
  return {{line, 0, one.key}, {line, one.text.size(), one.key}};
}

LogSelection all_lines(std::span<const LogLine> lines) {
  if (lines.empty()) return {};
  return {whole_line(lines, 0).anchor, whole_line(lines, lines.size() - 1).head};
}

std::string timed_text(const LogLine& line) {
  if (line.day) return line.text;
  std::string text = line.time;
  if (line.rank >= 0) text += (text.empty() ? "" : "  ") + rank_label(line.rank);
  if (line.stream != LogStream::kNone) text += std::string(" ") + name_of(line.stream);
  return text + (text.empty() ? "" : "  ") + line.text;
}

std::string selected_text(std::span<const LogLine> lines, const LogSelection& selection,
                          bool timed) {
  std::string text;
  const auto [first, last] = ordered(selection);
  for (std::size_t i = first.line; i <= last.line && i < lines.size(); ++i) {
    const auto part = selection.part_of(i, lines[i].text.size());
    if (!part) continue;
    // A selection of whole lines ends before the first character of the next line.
    if (timed && part->begin == part->end && i != first.line) continue;
    text +=
        timed ? timed_text(lines[i]) : lines[i].text.substr(part->begin, part->end - part->begin);
    if (part->goes_on) text += '\n';
  }
  return text;
}

std::string log_file_name(const LogChoice& choice) {
  std::string which = "launcher";
  if (choice.all) which = "all";
  if (choice.all && choice.node != kNoNode) which = "node_" + std::to_string(choice.node);
  if (!choice.all && choice.rank != kNoRank) which = "rank_" + std::to_string(choice.rank);
  return "log_" + which + ".txt";
}

}  // namespace ringside::view
