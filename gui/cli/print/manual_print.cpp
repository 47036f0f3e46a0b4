#include "gui/cli/print/manual_print.h"

#include <algorithm>
#include <utility>

#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/view/table_cells.h"

namespace ringside::cli {
namespace {

using manual::Text;

constexpr std::size_t kBody = 4;  // indentation of text below a heading
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kUnderlined = "\x1b[4m";
constexpr const char* kFaint = "\x1b[2m";
constexpr const char* kPlain = "\x1b[0m";

std::string styled_as(const std::string& text, const char* style, const Paper& paper) {
  return paper.styled && !text.empty() ? style + text + kPlain : text;
}

/// Text that is not split at the end of a line.
struct Word {
  std::string text;
  std::size_t width = 0;
};

class Words {
 public:
  explicit Words(const Paper& paper) : paper_(paper) {}

  void add(const Text& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      add_run(text[i]);
      const bool last = i + 1 == text.size() || text[i + 1].link != text[i].link;
      if (last) add_target(text[i]);
    }
  }

  std::vector<Word> take() {
    end_word();
    return std::move(words_);
  }

 private:
  void end_word() {
    if (word_.width > 0) words_.push_back(std::exchange(word_, {}));
  }

  void add_piece(const std::string& piece, const char* style) {
    word_.text += style == nullptr ? piece : styled_as(piece, style, paper_);
    word_.width += shown_width(piece);
  }

  void add_run(const manual::Run& run) {
    const char* style = run.strong || run.code ? kBold : nullptr;
    if (run.emphasis || !run.link.empty()) style = kUnderlined;
    std::string text = one_line(run.text);
    if (run.code && !paper_.styled) text = "`" + text + "`";
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t space = std::min(text.find(' ', at), text.size());
      if (space > at) add_piece(text.substr(at, space - at), style);
      if (space < text.size()) end_word();
      at = space + 1;
    }
  }

  /// Adds what to type to follow a link.
  void add_target(const manual::Run& run) {
    if (run.link.empty() || run.link.address == run.text) return;
    std::string target = run.link.address;
    if (!run.link.topic.empty()) {
      target = run.link.topic + (run.link.section.empty() ? "" : "#" + run.link.section);
      target.insert(0, "help ");
    }
    manual::Run aside;
    aside.text = " (" + one_line(target) + ")";
    const std::size_t space = aside.text.find(' ', 1);
    end_word();
    add_piece(aside.text.substr(1, space == aside.text.npos ? space : space - 1), kFaint);
    if (space == aside.text.npos) return;
    end_word();
    add_piece(aside.text.substr(space + 1), kFaint);
  }

  const Paper& paper_;
  std::vector<Word> words_;
  Word word_;
};

/// The text in lines, each after `indent` spaces; `mark` comes before the first.
std::string wrapped_text(const Text& text, std::size_t indent, const Paper& paper,
                         const std::string& mark = {}) {
  Words words(paper);
  words.add(text);
  const std::size_t marked = shown_width(mark);
  std::string lines = std::string(indent - std::min(indent, marked), ' ') + mark;
  std::size_t used = indent;
  bool begun = false;
  for (const Word& word : words.take()) {
    if (begun && used + 1 + word.width > paper.width) {
      lines += "\n" + std::string(indent, ' ');
      used = indent;
      begun = false;
    }
    lines += (begun ? " " : "") + word.text;
    used += word.width + (begun ? 1 : 0);
    begun = true;
  }
  return lines + "\n";
}

std::string indented(std::string_view text, std::size_t indent) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines += std::string(indent, ' ');
    lines += std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct BlockText {
  const Paper& paper;

  std::string operator()(const manual::Heading& heading) const {
    const std::string title = one_line(plain(heading.text));
    return std::string(heading.level > 2 ? kBody / 2 : 0, ' ') + styled_as(title, kBold, paper) +
           "\n";
  }
  std::string operator()(const manual::Paragraph& paragraph) const {
    return wrapped_text(paragraph.text, kBody, paper);
  }
  std::string operator()(const manual::List& list) const {
    std::string lines;
    const std::size_t last = list.first + list.items.size();
    const std::size_t room = list.numbered ? std::to_string(last).size() + 2 : 2;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string number = std::to_string(list.first + i) + ". ";
      lines += wrapped_text(list.items[i], kBody + room, paper, list.numbered ? number : "- ");
    }
    return lines;
  }
  std::string operator()(const manual::Code& code) const {
    std::string text;
    for (std::string_view rest = code.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text += one_line(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return indented(text, kBody * 2);
  }
  std::string operator()(const manual::Table& table) const {
    view::Table shown;
    for (std::size_t i = 0; i < table.head.size(); ++i) {
      const std::string head = plain(table.head[i]);
      shown.columns.push_back(table.right[i] ? view::number_column(std::to_string(i), head)
                                             : view::TableColumn{std::to_string(i), head});
    }
    for (const auto& row : table.rows) {
      view::TableRow& cells = shown.rows.emplace_back();
      for (const Text& cell : row) cells.cells.push_back(view::text_cell(plain(cell)));
    }
    const std::size_t room = paper.width > kBody ? paper.width - kBody : 1;
    return indented(table_text(shown, paper.styled, room), kBody);
  }
};

struct BlockJson {
  Json operator()(const manual::Heading& heading) const {
    return {{"kind", "heading"},
            {"level", heading.level},
            {"section", heading.slug},
            {"text", plain(heading.text)}};
  }
  Json operator()(const manual::Paragraph& paragraph) const {
    return {{"kind", "paragraph"}, {"text", plain(paragraph.text)}};
  }
  Json operator()(const manual::List& list) const {
    Json items = Json::array();
    for (const Text& item : list.items) items.push_back(plain(item));
    return {{"kind", "list"}, {"numbered", list.numbered}, {"items", items}};
  }
  Json operator()(const manual::Code& code) const {
    return {{"kind", "code"}, {"language", code.language}, {"text", code.text}};
  }
  Json operator()(const manual::Table& table) const {
    const auto cells = [](const std::vector<Text>& row) {
      Json texts = Json::array();
      for (const Text& cell : row) texts.push_back(plain(cell));
      return texts;
    };
    Json rows = Json::array();
    for (const auto& row : table.rows) rows.push_back(cells(row));
    return {{"kind", "table"}, {"head", cells(table.head)}, {"rows", rows}};
  }
};

Json about_json(const manual::Page& page) {
  Json list = Json::array();
  for (const manual::Section& section : manual::sections(page)) {
    if (section.slug.empty()) continue;
    list.push_back({{"section", section.slug}, {"title", section.title}, {"level", section.level}});
  }
  return {{"topic", page.topic}, {"title", page.title}, {"about", page.about}, {"sections", list}};
}

std::string name_of(const manual::Found& found) {
  return found.page->topic + (found.section.slug.empty() ? "" : "#" + found.section.slug);
}

}  // namespace

std::string topics_text(const manual::Manual& manual, const Paper& paper) {
  std::size_t widest = 0;
  for (const manual::Page& page : manual.pages) widest = std::max(widest, shown_width(page.topic));
  std::string lines;
  for (const manual::Page& page : manual.pages) {
    const std::string pad(widest + 2 - shown_width(page.topic), ' ');
    lines += wrapped_text({{page.about}}, widest + 4, paper,
                          "  " + styled_as(one_line(page.topic), kBold, paper) + pad);
  }
  return lines;
}

std::string section_text(const manual::Page& page, const manual::Section& section,
                         const Paper& paper) {
  std::string lines;
  if (section.begin == 0) lines = styled_as(one_line(page.title), kBold, paper) + "\n\n";
  for (std::size_t i = section.begin; i < std::min(section.end, page.blocks.size()); ++i) {
    const bool below_heading =
        i > section.begin && std::holds_alternative<manual::Heading>(page.blocks[i - 1]);
    if (i > section.begin && !below_heading) lines += "\n";
    lines += std::visit(BlockText{paper}, page.blocks[i]);
  }
  return lines;
}

std::string found_text(std::span<const manual::Found> found, const Paper& paper) {
  std::string lines;
  for (const manual::Found& one : found) {
    const std::string title =
        one.section.slug.empty() ? one.page->title : one.page->title + " › " + one.section.title;
    lines +=
        (lines.empty() ? "" : "\n") + styled_as("help " + one_line(name_of(one)), kBold, paper);
    lines += "  " + one_line(title) + "\n" + wrapped_text({{one.excerpt}}, kBody, paper);
  }
  return lines;
}

Json topics_json(const manual::Manual& manual) {
  Json list = Json::array();
  for (const manual::Page& page : manual.pages) list.push_back(about_json(page));
  return list;
}

Json page_json(const manual::Page& page, const manual::Section& section) {
  Json json = about_json(page);
  Json blocks = Json::array();
  for (std::size_t i = section.begin; i < std::min(section.end, page.blocks.size()); ++i)
    blocks.push_back(std::visit(BlockJson{}, page.blocks[i]));
  json["blocks"] = blocks;
  return json;
}

Json found_json(std::span<const manual::Found> found) {
  Json list = Json::array();
  for (const manual::Found& one : found) {
    list.push_back({{"topic", one.page->topic},
                    {"section", one.section.slug},
                    {"title", one.section.title},
                    {"excerpt", one.excerpt}});
  }
  return list;
}

}  // namespace ringside::cli
