#include "gui/manual/parse.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

namespace ringside::manual {
namespace {

/// The character of a Unicode code point, as UTF-8.
std::string utf8_of(unsigned code) {
  const auto tail = [code](unsigned shift) {
    return static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return "\xEF\xBF\xBD";
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | (code >> 6U)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | (code >> 12U)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (code >> 18U)), tail(12), tail(6), tail(0)};
}

/// The character of an HTML entity such as "&amp;" or "&#8220;"; an unknown entity is returned
/// unchanged.
std::string entity_text(std::string_view entity) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{
      {{"&amp;", "&"},
       {"&lt;", "<"},
       {"&gt;", ">"},
       {"&quot;", "\""},
       {"&apos;", "'"},
       {"&nbsp;", "\xC2\xA0"}}};
  for (const auto& [name, letters] : kNames) {
    if (name == entity) return std::string(letters);
  }
  if (!entity.starts_with("&#") || entity.size() < 4) return std::string(entity);
  std::string_view digits = entity.substr(2, entity.size() - 3);
  const bool hex = digits.front() == 'x' || digits.front() == 'X';
  if (hex) digits.remove_prefix(1);
  unsigned code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  return utf8_of(code);
}

std::string text_of(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (std::size_t i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const std::string_view piece(attribute.text + attribute.substr_offsets[i],
                                 attribute.substr_offsets[i + 1] - attribute.substr_offsets[i]);
    text += attribute.substr_types[i] == MD_TEXT_ENTITY ? entity_text(piece) : std::string(piece);
  }
  return text;
}

/// GitHub's anchor of a heading: lower case, '-' for spaces, no punctuation.
std::string slug_of(std::string_view title) {
  std::string slug;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') slug += '-';
    if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '_')
      slug += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
  }
  return slug;
}

class PageBuilder {
 public:
  PageBuilder(std::string topic, Page& page) : page_(page) { page_.topic = std::move(topic); }

  void enter(MD_BLOCKTYPE type, const void* detail) {
    if (type == MD_BLOCK_QUOTE) fault("a quotation is set as a paragraph");
    if (type == MD_BLOCK_HR) fault("a line across the page is not drawn");
    if (type == MD_BLOCK_H)
      begin_heading(static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level));
    if (type == MD_BLOCK_UL) begin_list(false, 1);
    if (type == MD_BLOCK_OL)
      begin_list(true, static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start);
    if (type == MD_BLOCK_LI) begin_item();
    if (type == MD_BLOCK_P) begin_paragraph();
    if (type == MD_BLOCK_CODE) begin_code(*static_cast<const MD_BLOCK_CODE_DETAIL*>(detail));
    if (type == MD_BLOCK_TABLE) page_.blocks.emplace_back(Table{});
    if (type == MD_BLOCK_TR) row_.clear();
    if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
      const auto align = static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align;
      if (type == MD_BLOCK_TH) table().right.push_back(align == MD_ALIGN_RIGHT);
      into_ = &row_.emplace_back();
    }
  }

  void leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_H) end_heading();
    if (type == MD_BLOCK_P) end_paragraph();
    if (type == MD_BLOCK_CODE) end_code();
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) --lists_;
    if (type == MD_BLOCK_LI) in_item_ = false;
    if (type == MD_BLOCK_TR) end_row();
    if (type != MD_BLOCK_P || !in_item_) into_ = nullptr;
  }

  void enter_span(MD_SPANTYPE type, const void* detail) {
    if (type == MD_SPAN_STRONG) ++strong_;
    if (type == MD_SPAN_EM) ++emphasis_;
    if (type == MD_SPAN_CODE) ++code_;
    if (type == MD_SPAN_IMG) fault("a picture is not shown");
    if (type == MD_SPAN_A)
      link_ = link_to(text_of(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href));
  }

  void leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_STRONG) --strong_;
    if (type == MD_SPAN_EM) --emphasis_;
    if (type == MD_SPAN_CODE) --code_;
    if (type == MD_SPAN_A) link_ = {};
  }

  void text(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_NULLCHAR) return add("\xEF\xBF\xBD");
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) return add(" ");
    if (type != MD_TEXT_ENTITY) return add(text);
    const std::string letters = entity_text(text);
    if (letters == text) fault("the name " + letters + " of a letter is not known");
    add(letters);
  }

  void fault(std::string what) { page_.faults.push_back(std::move(what)); }

 private:
  Table& table() { return std::get<Table>(page_.blocks.back()); }
  bool empty() const { return page_.title.empty() && page_.blocks.empty(); }

  void add(std::string_view text) {
    if (in_code_) std::get<Code>(page_.blocks.back()).text += text;
    if (into_ == nullptr || text.empty()) return;
    Run run{std::string(text), strong_ > 0, emphasis_ > 0, code_ > 0, link_};
    if (into_->empty()) return void(into_->push_back(std::move(run)));
    run.text = into_->back().text;
    if (into_->back() == run) {
      into_->back().text += text;
    } else {
      run.text = text;
      into_->push_back(std::move(run));
    }
  }

  void begin_heading(int level) {
    if (level > 3) fault("a heading of level " + std::to_string(level) + " is one of level 3");
    level_ = std::min(level, 3);
    line_.clear();
    into_ = &line_;
  }

  void end_heading() {
    const std::string title = plain(line_);
    if (level_ == 1 && empty()) return void(page_.title = title);
    if (level_ == 1) fault("\"" + title + "\" is a second title");
    std::string slug = slug_of(title);
    for (int again = 1; !slugs_.insert(slug).second; ++again)
      slug = slug_of(title) + "-" + std::to_string(again);
    page_.blocks.emplace_back(Heading{std::max(level_, 2), line_, slug});
  }

  void begin_list(bool numbered, unsigned first) {
    if (++lists_ > 1) fault("a list is nested in an item of another");
    numbered_ = numbered;
    next_ = first;
    page_.blocks.emplace_back(List{numbered, first, {}});
  }

  /// Begins an item; the list continues after an example within it.
  void begin_item() {
    if (!std::holds_alternative<List>(page_.blocks.back()))
      page_.blocks.emplace_back(List{numbered_, next_, {}});
    into_ = &std::get<List>(page_.blocks.back()).items.emplace_back();
    ++next_;
    in_item_ = true;
  }

  void begin_paragraph() {
    // An item has at most one paragraph; text after an example within it is a paragraph of the
    // page.
    const bool first_of_item = into_ != nullptr && into_->empty();
    if (in_item_ && first_of_item) return;
    page_.blocks.emplace_back(Paragraph{});
    into_ = &std::get<Paragraph>(page_.blocks.back()).text;
  }

  void end_paragraph() {
    const auto* paragraph = std::get_if<Paragraph>(&page_.blocks.back());
    if (page_.blocks.size() == 1 && paragraph != nullptr) page_.about = plain(paragraph->text);
  }

  void begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
    page_.blocks.emplace_back(Code{text_of(detail.lang), {}});
    in_code_ = true;
    into_ = nullptr;
  }

  void end_code() {
    std::string& text = std::get<Code>(page_.blocks.back()).text;
    if (text.ends_with('\n')) text.pop_back();
    in_code_ = false;
  }

  void end_row() {
    Table& all = table();
    if (all.head.empty()) {
      all.head = std::move(row_);
    } else {
      row_.resize(all.head.size());
      all.rows.push_back(std::move(row_));
    }
    row_ = {};
  }

  Link link_to(const std::string& target) {
    for (const char* const scheme : {"https://", "http://", "mailto:"}) {
      if (target.starts_with(scheme)) return {"", "", target};
    }
    const std::size_t hash = std::min(target.find('#'), target.size());
    std::string file = target.substr(0, hash);
    const std::string section = hash < target.size() ? target.substr(hash + 1) : std::string();
    if (file.empty() && !section.empty()) return {page_.topic, section, ""};
    if (file.ends_with(".md") && file.find('/') == std::string::npos)
      return {file.substr(0, file.size() - 3), section, ""};
    fault("a link to \"" + target + "\" leads to no topic");
    return {};
  }

  Page& page_;
  Text* into_ = nullptr;  ///< where text is appended; null: in a block without text
  Text line_;             ///< text of a heading
  std::vector<Text> row_;
  std::set<std::string> slugs_;
  Link link_;
  int level_ = 0;
  int lists_ = 0;
  int strong_ = 0;
  int emphasis_ = 0;
  int code_ = 0;
  unsigned next_ = 1;
  bool numbered_ = false;
  bool in_item_ = false;
  bool in_code_ = false;
};

PageBuilder& builder(void* user) { return *static_cast<PageBuilder*>(user); }

MD_PARSER page_parser() {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    builder(user).enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
    builder(user).leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    builder(user).enter_span(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    builder(user).leave_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    builder(user).text(type, {text, size});
    return 0;
  };
  return parser;
}

}  // namespace

Page parse_page(const std::string& topic, std::string_view markdown) {
  Page page;
  PageBuilder made(topic, page);
  const MD_PARSER parser = page_parser();
  if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &made) != 0)
    made.fault("it could not be read to its end");
  if (page.title.empty()) made.fault("its first line is not a title (# Title)");
  if (page.about.empty()) made.fault("its title is not followed by a sentence about its subject");
  if (page.title.empty()) page.title = topic;
  return page;
}

}  // namespace ringside::manual
