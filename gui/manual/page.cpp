#include "gui/manual/page.h"

#include <algorithm>
#include <iterator>

namespace ringside::manual {
namespace {

void add_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  text += (text.empty() ? "" : "\n") + line;
}

struct AddPlain {
  std::string& text;
  void operator()(const Heading& heading) const { add_line(text, plain(heading.text)); }
  void operator()(const Paragraph& paragraph) const { add_line(text, plain(paragraph.text)); }
  void operator()(const List& list) const {
    for (const Text& item : list.items) add_line(text, plain(item));
  }
  void operator()(const Code& code) const { add_line(text, code.text); }
  void operator()(const Table& table) const {
    for (const Text& cell : table.head) add_line(text, plain(cell));
    for (const auto& row : table.rows) {
      for (const Text& cell : row) add_line(text, plain(cell));
    }
  }
};

}  // namespace

std::string plain(const Text& text) {
  std::string all;
  for (const Run& run : text) all += run.text;
  return all;
}

std::vector<Section> sections(const Page& page) {
  std::vector<Section> found{{"", page.title, 1, 0, page.blocks.size()}};
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    const auto* heading = std::get_if<Heading>(&page.blocks[i]);
    if (heading == nullptr) continue;
    if (found.size() == 1) found.front().end = i;
    for (Section& above : found) {
      if (above.level >= heading->level && above.end == page.blocks.size()) above.end = i;
    }
    found.push_back({heading->slug, plain(heading->text), heading->level, i, page.blocks.size()});
  }
  return found;
}

std::vector<Section> main_sections(const Page& page) {
  const auto all = sections(page);
  std::vector<Section> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [](const Section& section) { return section.level <= 2; });
  return found;
}

Section section_of(const Page& page, std::string_view slug) {
  if (slug.empty()) return {"", page.title, 1, 0, page.blocks.size()};
  const auto all = sections(page);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [slug](const Section& section) { return section.slug == slug; });
  return found == all.end() ? Section{} : *found;
}

std::string plain(const Page& page, const Section& section) {
  std::string text;
  const std::size_t end = std::min(section.end, page.blocks.size());
  for (std::size_t i = section.begin; i < end; ++i) std::visit(AddPlain{text}, page.blocks[i]);
  return text;
}

}  // namespace ringside::manual
