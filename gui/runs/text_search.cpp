#include "gui/runs/text_search.h"

#include <string.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>

#include "protocol/host/files.h"

namespace ringside::runs {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Searches a file block by block, in lower case; each block begins with the rest of the one
/// before.
class Searcher {
 public:
  Searcher(const std::string& text, std::size_t most, FoundLines& found)
      : wanted_(text), most_(most), found_(found) {
    std::transform(wanted_.begin(), wanted_.end(), wanted_.begin(), lower);
  }

  /// Searches whole lines; an incomplete line waits for the next block. A line longer than a block
  /// is searched in pieces.
  void take(std::string_view bytes, bool last) {
    rest_.append(bytes);
    std::size_t end = rest_.rfind('\n');
    end = end == std::string::npos ? 0 : end + 1;
    if (end == 0 && rest_.size() >= 2 * kBlock) {
      look(rest_);
      // The end of the piece is kept, as a match may span two pieces.
      rest_.erase(0, rest_.size() - std::min(rest_.size(), wanted_.size() - 1));
      return;
    }
    if (last) end = rest_.size();
    look(std::string_view(rest_).substr(0, end));
    rest_.erase(0, end);
  }

 private:
  void look(std::string_view lines) {
    folded_.resize(lines.size());
    std::transform(lines.begin(), lines.end(), folded_.begin(), lower);
    std::size_t counted = 0;  // line ends before this offset are counted in line_
    for (std::size_t at = 0; at < folded_.size();) {
      const void* hit =
          ::memmem(folded_.data() + at, folded_.size() - at, wanted_.data(), wanted_.size());
      if (hit == nullptr) break;
      const auto place = static_cast<std::size_t>(static_cast<const char*>(hit) - folded_.data());
      line_ += count_ends(lines.substr(counted, place - counted));
      counted = place;
      const std::size_t before = lines.rfind('\n', place);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      const std::size_t end = std::min(lines.find('\n', place), lines.size());
      keep(lines.substr(begin, end - begin), place - begin);
      at = end;
    }
    line_ += count_ends(lines.substr(counted));
  }

  static std::uint64_t count_ends(std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }

  void keep(std::string_view line, std::size_t match) {
    if (line.size() > kMostLineBytes) {
      const std::size_t begin = match > kMostLineBytes / 2 ? match - kMostLineBytes / 2 : 0;
      line = line.substr(begin, kMostLineBytes);
    }
    ++found_.matches;
    found_.lines.push_back({line_ + 1, std::string(line)});
    if (found_.lines.size() > most_) found_.lines.pop_front();
  }

  std::string wanted_;
  std::size_t most_;
  FoundLines& found_;
  std::string rest_;
  std::string folded_;
  std::uint64_t line_ = 0;  ///< number of line ends so far
};

}  // namespace

Result<FoundLines> search_file(const std::filesystem::path& path, const std::string& text,
                               std::size_t most, const std::atomic<bool>& cancel) {
  FoundLines found;
  std::error_code ignored;
  if (text.empty() || !std::filesystem::exists(path, ignored)) return found;
  const auto file = RINGSIDE_TRY(open_file(path, OpenMode::kRead));
  Searcher searcher(text, most, found);
  std::string block(kBlock, '\0');
  while (!cancel) {
    const auto got =
        RINGSIDE_TRY(file->read_at(found.bytes, std::as_writable_bytes(std::span(block))));
    found.bytes += got;
    searcher.take(std::string_view(block).substr(0, got), got == 0);
    if (got == 0) break;
  }
  return found;
}

}  // namespace ringside::runs
