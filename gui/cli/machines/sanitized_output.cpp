#include "gui/cli/machines/sanitized_output.h"

#include <algorithm>

#include "protocol/base/printable.h"

namespace ringside::cli {
namespace {

// Longer lines are printed in parts.
constexpr std::size_t kMostLineBytes = std::size_t{64} << 10;
constexpr std::size_t kMostRepeats = 3;

/// Keeps tabs, which separate the columns of tables.
std::string line_with_tabs(std::string_view line) {
  std::string text;
  for (;;) {
    const std::size_t tab = line.find('\t');
    text += printable_line(line.substr(0, tab));
    if (tab == line.npos) return text;
    text += '\t';
    line.remove_prefix(tab + 1);
  }
}

}  // namespace

std::string SanitizedOutput::told_repeats() {
  const std::size_t more = repeats_ - std::min(repeats_, kMostRepeats);
  repeats_ = 0;
  return more == 0 ? "" : "(the same line " + std::to_string(more) + " times more)\n";
}

void SanitizedOutput::add_line(std::string& into, std::string_view line) {
  if (tells_repeats_) {
    if (repeats_ == 0 || line != last_line_) {
      into += told_repeats();
      last_line_ = line;
    }
    if (++repeats_ > kMostRepeats) return;
  }
  into += line_with_tabs(line) + "\n";
}

std::string SanitizedOutput::take(std::string_view bytes) {
  std::string text;
  if (full_) return text;
  begun_ += bytes;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = begun_.find('\n', at)) != begun_.npos; at = end + 1)
    add_line(text, std::string_view(begun_).substr(at, end - at));
  begun_.erase(0, at);
  if (begun_.size() > kMostLineBytes) {
    // A character of several bytes is not split.
    std::size_t whole = kMostLineBytes;
    while (whole > kMostLineBytes - 4 &&
           (static_cast<unsigned char>(begun_[whole]) & 0xC0U) == 0x80)
      --whole;
    text += line_with_tabs(std::string_view(begun_).substr(0, whole));
    begun_.erase(0, whole);
  }
  given_bytes_ += bytes.size();
  full_ = given_bytes_ > most_bytes_;
  return text;
}

std::string SanitizedOutput::finish() {
  std::string text = told_repeats();
  text += line_with_tabs(begun_);
  begun_.clear();
  return text;
}

}  // namespace ringside::cli
