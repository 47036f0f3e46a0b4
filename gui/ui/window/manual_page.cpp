#include "gui/ui/window/manual_page.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/widgets.h"
#include "gui/ui/window/manual_text.h"

namespace ringside::ui {
namespace {

constexpr float kWidest = 820;  // longer lines are hard to read
constexpr float kCodeLine = 18;
constexpr float kCodePad = 10;
constexpr float kCopyButton = 58;
constexpr float kColumnGap = 20;
constexpr TextLook kHeadingLook{Type::kTitle, Type::kTitle, Type::kTitle,
                                Token::kHigh, Token::kHigh, 22};
constexpr TextLook kLowHeadingLook{Type::kPanel, Type::kPanel, Type::kNumberBold,
                                   Token::kHigh, Token::kHigh, 20};
constexpr TextLook kAboutLook{.color = Token::kDim};
constexpr TextLook kCellLook{.words = Type::kSmall, .strong = Type::kSmallBold};
constexpr TextLook kHeadLook{.words = Type::kLabel,
                             .strong = Type::kLabel,
                             .code = Type::kAxis,
                             .color = Token::kDim,
                             .strong_color = Token::kDim};

/// Index where the comment of a shell or Python line begins; the line's length if it has none.
std::size_t comment_begin(const manual::Code& code, std::string_view line) {
  if (code.language != "sh" && code.language != "python" && code.language != "toml")
    return line.size();
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ') return at;
  }
  return line.size();
}

/// Draws the blocks of a page one below the other.
class PageDrawing {
 public:
  PageDrawing(const Rect& column, const ManualMemory& memory, view::CommandQueue& commands)
      : column_(column), y_(column.y), memory_(memory), commands_(commands) {}

  void operator()(const manual::Heading& heading) {
    const bool main = heading.level <= 2;
    if (main) {
      y_ += px(12);
      line_h(column_.x, column_.right(), y_, Token::kLine);
    }
    y_ += px(main ? 12 : 8);
    if (heading.slug == memory_.at.section) section_y_ = y_ - px(main ? 12 : 8);
    set(heading.text, 0, main ? kHeadingLook : kLowHeadingLook);
    y_ += px(main ? 6 : 4);
  }

  void operator()(const manual::Paragraph& paragraph) {
    set(paragraph.text, 0, ++paragraphs_ == 1 ? kAboutLook : TextLook{});
    y_ += px(9);
  }

  void operator()(const manual::List& list) {
    const float indent = px(list.numbered ? 28 : 20);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string mark =
          list.numbered ? std::to_string(list.first + i) + "." : std::string("•");
      text_right(column_.x + indent - px(8), y_ + px(10), Type::kBody, Token::kDim, mark);
      set(list.items[i], indent, {});
      y_ += px(4);
    }
    y_ += px(5);
  }

  void operator()(const manual::Code& code) {
    const float top = y_;
    const float height =
        px(kCodeLine) * static_cast<float>(code_lines(code, false)) + px(kCodePad) * 2;
    fill({column_.x, top, column_.w, height}, Token::kInput, 4);
    outline({column_.x, top, column_.w, height}, Token::kLine, 4);
    code_lines(code, true);
    const Rect copy{column_.right() - px(kCopyButton), top + px(6), px(kCopyButton - 6), px(24)};
    const std::string id = "Copy##example " + std::to_string(++examples_);
    if (button(id.c_str(), copy, {ButtonKind::kLink}))
      commands_.emplace_back(view::CopyText{code.text});
    y_ = top + height + px(10);
  }

  void operator()(const manual::Table& table) {
    const std::vector<float> widths = column_widths(table);
    row(table, table.head, widths, kHeadLook, color_of(Token::kLine2));
    for (const auto& cells : table.rows)
      row(table, cells, widths, kCellLook, color_of(Token::kLine));
    y_ += px(10);
  }

  float y() const { return y_; }
  /// Position of the requested heading; below 0: there is none.
  float section_y() const { return section_y_; }
  const manual::Link* pressed() const { return pressed_; }

 private:
  void set(const manual::Text& text, float indent, const TextLook& look) {
    y_ = set_text(++texts_, text, {column_.x + indent, y_, column_.w - indent, 0}, look, &pressed_);
  }

  /// Number of lines for an example; longer lines are wrapped and slightly indented.
  int code_lines(const manual::Code& code, bool draw) {
    int count = 0;
    std::string_view text = code.text;
    do {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      const std::size_t comment = comment_begin(code, line);
      std::size_t at = 0;
      do {
        const float indent = px(kCodePad) + (at > 0 ? px(16) : 0);
        const float used = indent + px(kCodePad) + (count == 0 ? px(kCopyButton) : 0);
        const std::size_t length = line_part(line.substr(at), column_.w - used);
        if (draw) draw_code(line, at, length, comment, indent, count);
        at += length;
        ++count;
      } while (at < line.size());
      text.remove_prefix(std::min(end + 1, text.size()));
    } while (!text.empty());
    return count;
  }

  /// The number of bytes of the line that fit, cut at a space if there is one.
  static std::size_t line_part(std::string_view line, float room) {
    if (line.empty()) return 0;
    const std::size_t fits = fitting_part(Type::kNumber, line, room).size();
    if (fits >= line.size()) return line.size();
    const std::size_t space = line.rfind(' ', fits);
    const bool early = space == line.npos || line.find_first_not_of(' ') > space;
    return early ? fits : space + 1;
  }

  void draw_code(std::string_view line, std::size_t at, std::size_t length, std::size_t comment,
                 float indent, int count) const {
    const float middle = y_ + px(kCodePad) + px(kCodeLine) * (static_cast<float>(count) + 0.5F);
    if (!ImGui::IsRectVisible(ImVec2(column_.x, middle - px(kCodeLine)),
                              ImVec2(column_.right(), middle + px(kCodeLine))))
      return;
    const std::size_t parted = std::clamp(comment, at, at + length);
    const float x = text_at(column_.x + indent, middle, Type::kNumber, Token::kHigh,
                            line.substr(at, parted - at));
    text_at(x, middle, Type::kNumber, Token::kDim, line.substr(parted, at + length - parted));
  }

  /// Computes widths as browsers do: each column fits its longest word, and the remaining width is
  /// distributed in proportion to what each lacks.
  std::vector<float> column_widths(const manual::Table& table) const {
    const std::size_t count = table.head.size();
    std::vector<float> least(count);
    std::vector<float> most(count);
    const auto take = [&](const std::vector<manual::Text>& cells, const TextLook& look) {
      for (std::size_t i = 0; i < count && i < cells.size(); ++i) {
        const TextExtent extent = extent_of(cells[i], look);
        least[i] = std::max(least[i], std::ceil(extent.word));
        most[i] = std::max(most[i], std::ceil(extent.whole));
      }
    };
    take(table.head, kHeadLook);
    for (const auto& cells : table.rows) take(cells, kCellLook);
    const float room = column_.w - px(kColumnGap) * static_cast<float>(count - 1);
    float needed = 0;
    float wanted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      needed += least[i];
      wanted += most[i];
    }
    if (wanted <= room) return most;
    const float share = needed < room ? (room - needed) / std::max(wanted - needed, 1.0F) : 0;
    const float shrink = needed > room ? std::max(room, 1.0F) / needed : 1;
    for (std::size_t i = 0; i < count; ++i)
      least[i] = std::floor((least[i] + (most[i] - least[i]) * share) * shrink);
    return least;
  }

  void row(const manual::Table& table, const std::vector<manual::Text>& cells,
           const std::vector<float>& widths, const TextLook& look, ImU32 line) {
    float x = column_.x;
    float bottom = y_ + px(look.line);
    for (std::size_t i = 0; i < widths.size() && i < cells.size(); ++i) {
      float indent = 0;
      if (table.right[i]) indent = std::max(0.0F, widths[i] - extent_of(cells[i], look).whole);
      const Rect cell{x + indent, y_ + px(3), widths[i] - indent, 0};
      bottom = std::max(bottom, set_text(++texts_, cells[i], cell, look, &pressed_));
      x += widths[i] + px(kColumnGap);
    }
    y_ = bottom + px(3);
    line_h(column_.x, std::min(x - px(kColumnGap), column_.right()), y_, line);
    y_ += 1;
  }

  Rect column_;
  float y_;
  float section_y_ = -1;
  const ManualMemory& memory_;
  view::CommandQueue& commands_;
  const manual::Link* pressed_ = nullptr;
  int texts_ = 0;
  int paragraphs_ = 0;
  int examples_ = 0;
};

void scroll_page(bool arrows) {
  const float page = std::fmax(px(40), ImGui::GetWindowHeight() - px(40));
  const ImGuiID owner = ImGui::GetID("scroll page");
  for (const ImGuiKey key : {ImGuiKey_PageDown, ImGuiKey_PageUp}) ImGui::SetKeyOwner(key, owner);
  const auto scroll = [](ImGuiKey key, float by) {
    if (ImGui::GetIO().KeyMods == ImGuiMod_None && ImGui::IsKeyPressed(key))
      ImGui::SetScrollY(ImGui::GetScrollY() + by);
  };
  scroll(ImGuiKey_PageDown, page);
  scroll(ImGuiKey_PageUp, -page);
  if (!arrows) return;
  scroll(ImGuiKey_DownArrow, px(40));
  scroll(ImGuiKey_UpArrow, -px(40));
}

/// Scrolls to the target of a link, an entry or Back.
void jump_where_wanted(const PageDrawing& drawn, float top, ManualMemory& memory) {
  if (memory.back_to >= 0) {
    ImGui::SetScrollY(memory.back_to);
  } else if (memory.jump) {
    ImGui::SetScrollY(drawn.section_y() < 0 ? 0 : drawn.section_y() - top);
  } else {
    memory.scroll = ImGui::GetScrollY();
  }
  memory.back_to = -1;
  memory.jump = false;
}

}  // namespace

void ManualMemory::go_to(view::ManualPlace place) {
  if (!at.topic.empty()) before.push_back({at, scroll});
  at = std::move(place);
  jump = true;
  back_to = -1;
  listed = false;
}

void ManualMemory::go_back() {
  if (before.empty()) return;
  at = before.back().place;
  back_to = before.back().scroll;
  jump = false;
  before.pop_back();
}

void draw_manual_page(const manual::Page& page, const Rect& area, bool arrows, ManualMemory& memory,
                      view::CommandQueue& commands) {
  const ScrollArea scroll("manual page", area);
  Rect column = scroll.content;
  column.w = std::min(column.w - px(12), px(kWidest));
  scroll_page(arrows);
  PageDrawing drawing(column, memory, commands);
  for (const manual::Block& block : page.blocks) std::visit(drawing, block);
  jump_where_wanted(drawing, scroll.content.y, memory);
  // Extends the content so that even a short last section can be scrolled to the top.
  scroll.reach(
      std::max(drawing.y() + std::max(px(8), area.h * 0.4F), drawing.section_y() + area.h));
  if (drawing.pressed() == nullptr) return;
  const manual::Link& link = *drawing.pressed();
  if (link.topic.empty()) {
    commands.emplace_back(view::CopyText{link.address});
  } else {
    memory.go_to({link.topic, link.section});
  }
}

}  // namespace ringside::ui
