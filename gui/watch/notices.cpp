#include "gui/watch/notices.h"

#include <algorithm>
#include <map>

#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

std::string text_of(const FileNotice& first, std::uint64_t count, std::size_t files) {
  std::string text = printable_line(first.file.native());
  if (!first.what.place.empty()) add_listed(text, first.what.place);
  text += (text.empty() ? "" : ": ") + first.what.what;
  if (count > 1) text += "; " + std::to_string(count - 1) + " more like it";
  if (files > 1) text += ", in " + std::to_string(files) + " files";
  return text;
}

}  // namespace

std::string notice_text(const FileNotice& notice) { return text_of(notice, notice.what.count, 1); }

std::vector<std::string> notice_lines(const std::vector<FileNotice>& notices) {
  struct Kind {
    const FileNotice* first = nullptr;
    std::uint64_t count = 0;
    std::size_t files = 0;
  };
  std::vector<Kind> kinds;
  std::map<std::pair<std::string, bool>, std::size_t> places;
  for (const FileNotice& notice : notices) {
    const auto [known, anew] =
        places.try_emplace({notice.what.what, notice.what.expected}, kinds.size());
    if (anew) kinds.push_back({&notice});
    Kind& kind = kinds[known->second];
    kind.count += notice.what.count;
    ++kind.files;
  }
  std::stable_partition(kinds.begin(), kinds.end(),
                        [](const Kind& kind) { return !kind.first->what.expected; });
  std::vector<std::string> lines;
  for (const Kind& kind : kinds) {
    lines.push_back((kind.first->what.expected ? "note: " : "warning: ") +
                    text_of(*kind.first, kind.count, kind.files));
  }
  return lines;
}

}  // namespace ringside::watch
