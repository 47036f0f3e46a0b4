// The lines of the log, one row each or wrapped, selected with the mouse and copied. Only visible
// lines are drawn, so the others cost nothing in a frame.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kLogRow = 19;
// More lines than this take a noticeable part of a frame to read again on each update of numbers.
constexpr std::size_t kMostLoaded = 20'000;
// Distances from the left edge of a row.
constexpr float kRankAt = 96;
constexpr float kStreamAt = 140;
constexpr float kLevelAt = 170;
constexpr float kTextAt = 184;

/// Uses doubles, since a million rows are more pixels than a float can count.
double row_at(float y, float top) {
  return std::floor(static_cast<double>(y - top) / static_cast<double>(px(kLogRow)));
}
float y_of(std::size_t row, float top) {
  return static_cast<float>(static_cast<double>(top) +
                            static_cast<double>(row) * static_cast<double>(px(kLogRow)));
}

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// The byte offset after `letters` characters from `at` on.
std::size_t behind_letters(std::string_view text, std::size_t at, std::size_t letters) {
  for (; at < text.size(); ++at) {
    if (begins_letter(text[at]) && letters-- == 0) return at;
  }
  return text.size();
}

std::uint32_t rows_of(const std::string& text, std::size_t letters) {
  const auto all = static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (all + letters - 1) / letters));
}

/// Maps lines to rows: one row per line, or several for a wrapped one.
class LogRows {
 public:
  LogRows(const view::LogView& log, float width, LogMemory& memory)
      : lines_(log.lines),
        letters_(static_cast<std::size_t>(
            std::max(8.0F, std::floor(width / text_width(Type::kNumber, "0"))))),
        wrapped_(memory.wrap),
        rows_(memory.rows) {
    if (!wrapped_ || (rows_.built == log.built && rows_.letters == letters_ &&
                      rows_.first.size() == lines_.size() + 1))
      return;
    rows_.built = log.built;
    rows_.letters = letters_;
    rows_.first.assign(1, 0);
    for (const view::LogLine& line : lines_)
      rows_.first.push_back(rows_.first.back() + rows_of(line.text, letters_));
  }

  bool wrapped() const { return wrapped_; }
  std::size_t count() const { return wrapped_ ? rows_.first.back() : lines_.size(); }
  std::size_t line_of(std::size_t row) const {
    if (!wrapped_) return row;
    const auto after = std::ranges::upper_bound(rows_.first, row);
    return static_cast<std::size_t>(after - rows_.first.begin()) - 1;
  }
  bool begins_line(std::size_t row) const { return !wrapped_ || rows_.first[line_of(row)] == row; }
  /// The part of its line that a row shows: of a wrapped line the row's share, else what fits.
  view::LogPart part(std::size_t row) const {
    const std::size_t line = line_of(row);
    const std::string& text = lines_[line].text;
    const std::size_t before = wrapped_ ? (row - rows_.first[line]) * letters_ : 0;
    const std::size_t begin = behind_letters(text, 0, before);
    return {begin, behind_letters(text, begin, letters_ + (wrapped_ ? 0 : 1)), false};
  }

 private:
  const std::vector<view::LogLine>& lines_;
  std::size_t letters_;
  bool wrapped_;
  LogMemory::Rows& rows_;
};

ImU32 line_color(messages::Severity severity) {
  if (severity == messages::Severity::kError) return color_of(Token::kError);
  return color_of(severity == messages::Severity::kWarning ? Token::kHigh : Token::kText);
}

/// Draws a part of the line in the colours of its escape sequences, else in the colour of its
/// severity.
void draw_text(const view::LogLine& line, const view::LogPart& part, float x, float middle) {
  const ImU32 plain = line_color(line.severity);
  const std::string_view text = line.text;
  std::size_t begin = 0;
  view::ColorSpan color;
  for (std::size_t i = 0; i <= line.color.size(); ++i) {
    const std::size_t end = i < line.color.size() ? line.color[i].begin : text.size();
    const std::size_t from = std::max(begin, part.begin);
    const std::size_t to = std::min(end, part.end);
    const ImU32 tint = color.tone == view::Tone::kText ? plain : color_of(token_of(color.tone));
    if (from < to)
      x = text_at(x, middle, color.strong ? Type::kNumberBold : Type::kNumber, tint,
                  text.substr(from, to - from));
    begin = end;
    if (i < line.color.size()) color = line.color[i];
  }
}

/// Time, rank, stream and severity, before the text.
void draw_gutter(const view::LogLine& line, const Rect& row) {
  const float middle = row.middle_y();
  text_at(row.x, middle, Type::kAxis, color_of(Token::kDim), line.time);
  const float mark = row.x + px(kRankAt);
  if (line.rank >= 0) {
    fill({mark, row.y + px(2), px(3), row.h - px(4)}, rank_color(line.rank));
    text_at(mark + px(8), middle, Type::kAxis, rank_color(line.rank), view::rank_label(line.rank));
  }
  if (line.stream != view::LogStream::kNone)
    text_at(row.x + px(kStreamAt), middle, Type::kAxis, color_of(Token::kDim),
            line.stream == view::LogStream::kErr ? "err" : "out");
  const float icon = row.x + px(kLevelAt);
  if (line.severity == messages::Severity::kInfo) {
    text_centered(icon, middle, Type::kAxis, color_of(Token::kFaint), "I");
    return;
  }
  const bool error = line.severity == messages::Severity::kError;
  draw_icon(error ? Icon::kCross : Icon::kWarning, ImVec2(icon, middle), px(9),
            color_of(error ? Token::kError : Token::kWarning));
}

float width_of(std::string_view text, std::size_t begin, std::size_t end) {
  return begin < end ? text_width(Type::kNumber, text.substr(begin, end - begin)) : 0;
}

/// Highlights the selected part of a row, and a little beyond its end if the selection continues in
/// the next line.
void draw_selected(const view::LogLine& line, const view::LogPart& part,
                   const view::LogPart& selected, float x, const Rect& row) {
  const std::size_t begin = std::clamp(selected.begin, part.begin, part.end);
  const std::size_t end = std::clamp(selected.end, part.begin, part.end);
  const bool whole = selected.goes_on && part.end == line.text.size();
  if (begin == end && !whole) return;
  const float left = x + width_of(line.text, part.begin, begin);
  const float right = x + width_of(line.text, part.begin, end) + (whole ? px(5) : 0);
  fill({left, row.y, right - left, row.h}, color_of(Token::kAccent, 0.3F));
}

void draw_log_row(const view::LogLine& line, const view::LogPart& part, bool first,
                  const std::optional<view::LogPart>& selected, const Rect& row) {
  const float x = row.x + (line.day ? 0 : px(kTextAt));
  if (selected) draw_selected(line, part, *selected, x, row);
  if (line.day) {
    text_at(x, row.middle_y(), Type::kAxis, color_of(Token::kDim), line.text);
    return;
  }
  if (first) draw_gutter(line, row);
  draw_text(line, part, x, row.middle_y());
}

/// Draws a note above the lines: the state of a search, or how much is left out. Returns its
/// height.
float draw_log_notes(const LogPanel& panel, const Rect& row, LogMemory& memory,
                     view::CommandQueue& commands) {
  const view::LogView& log = panel.log;
  const std::string& words = log.searched.empty() ? log.hidden : log.searched;
  if (words.empty() && !panel.has_earlier) return 0;
  const float end = text_at(row.x, row.middle_y(), Type::kLabel, color_of(Token::kDim), words);
  const float x = words.empty() ? row.x : end + px(10);
  if (!log.searched.empty()) {
    if (button("Back to the newest lines", {x, row.y, px(150), row.h}, {ButtonKind::kLink}))
      commands.emplace_back(view::SearchLogs{});
  } else if (panel.has_earlier) {
    if (button("Load earlier lines", {x, row.y, px(110), row.h}, {ButtonKind::kLink})) {
      commands.emplace_back(view::EarlierLines{});
      memory.choice.most_lines = kMostLoaded;
      memory.follow = false;  // earlier lines appear above the first line
    }
  }
  return row.h;
}

/// Byte offset in a row at `x` from the beginning of its text: the nearest gap between two
/// characters, or with `hit` the beginning of the character there.
std::size_t byte_at(const std::string& text, const view::LogPart& part, float x, bool hit) {
  float at = 0;
  std::size_t byte = part.begin;
  while (byte < part.end) {
    const std::size_t next = behind_letters(text, byte, 1);
    const float width = width_of(text, byte, next);
    if (x < at + (hit ? width : width * 0.5F)) break;
    at += width;
    byte = next;
  }
  return byte;
}

/// Visible rows: the position of the first one, and the visible range.
struct SeenRows {
  const view::LogView& log;
  const LogRows& rows;
  float top = 0;
  Rect area;

  float text_x() const { return area.x + px(kTextAt); }
  /// Beyond the last character that fits, a line that is not wrapped counts to its end.
  view::LogPlace place_at(const ImVec2& mouse, bool hit = false) const {
    const auto last = static_cast<double>(rows.count() - 1);
    const auto at = static_cast<std::size_t>(std::clamp(row_at(mouse.y, top), 0.0, last));
    const std::size_t line = rows.line_of(at);
    const view::LogLine& one = log.lines[line];
    const float x = mouse.x - (one.day ? area.x : text_x());
    const view::LogPart part = rows.part(at);
    const std::size_t byte = byte_at(one.text, part, x, hit);
    const bool cut = byte == part.end || mouse.x >= area.right();
    return {line, cut && !rows.wrapped() ? one.text.size() : byte, one.key};
  }
};

/// Selection by a press: a position on the first press, a word on the second, the line on the third
/// or if the press is left of the text.
void press_lines(const SeenRows& seen, int times, bool shift, LogMemory& memory) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const view::LogPlace place = seen.place_at(mouse);
  view::LogSelection& selection = memory.selection;
  if (shift && selection.anchor.key != 0) {
    selection.head = place;
  } else if (times > 2 || (times == 2 && mouse.x < seen.text_x())) {
    selection = view::whole_line(seen.log.lines, place.line);
  } else if (times == 2) {
    const std::size_t byte = seen.place_at(mouse, true).byte;
    const view::LogPart word = view::word_around(seen.log.lines[place.line].text, byte);
    selection = {{place.line, word.begin, place.key}, {place.line, word.end, place.key}};
  } else {
    selection = {place, place};
  }
}

void drag_lines(const SeenRows& seen, LogMemory& memory) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  memory.selection.head = seen.place_at(mouse);
  const float beyond =
      std::min(mouse.y - seen.area.y, 0.0F) + std::max(mouse.y - seen.area.bottom(), 0.0F);
  if (beyond != 0) ImGui::SetScrollY(ImGui::GetScrollY() + std::clamp(beyond, -px(57), px(57)));
}

/// Copies, selects all or saves, as chosen in the context menu; Ctrl C copies too.
void copy_lines(const SeenRows& seen, LogMemory& memory, view::CommandQueue& commands) {
  static const std::vector<std::string> kWords{view::label::kCopyLines, view::label::kCopyTimed,
                                               view::label::kSelectLines, view::label::kSaveLines};
  const int picked = popup_list("log menu", kWords);
  const ImGuiIO& io = ImGui::GetIO();
  const bool key = io.KeyMods == ImGuiMod_Ctrl && ImGui::IsKeyPressed(ImGuiKey_C, false) &&
                   !io.WantTextInput && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if ((picked == 0 || picked == 1 || key) && memory.selection.any())
    commands.emplace_back(
        view::CopyText{view::selected_text(seen.log.lines, memory.selection, picked == 1)});
  if (picked == 2) memory.selection = view::all_lines(seen.log.lines);
  if (picked == 3) commands.push_back(save_lines(seen.log, memory.choice));
}

void select_with_mouse(const SeenRows& seen, LogMemory& memory, view::CommandQueue& commands) {
  const Hit hit = hit_area("Log lines", seen.area);
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    press_lines(seen, io.MouseClickedCount[0], io.KeyShift, memory);
  } else if (hit.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3))) {
    drag_lines(seen, memory);
  }
  if (hit.held && memory.selection.any()) memory.follow = false;  // or it would scroll away
  if (hit.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    const std::size_t line = seen.place_at(io.MousePos).line;
    if (!memory.selection.part_of(line, seen.log.lines[line].text.size()))
      memory.selection = view::whole_line(seen.log.lines, line);
    ImGui::OpenPopup("log menu");
  }
  if (hit.hovered && io.MousePos.x >= seen.text_x())
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  copy_lines(seen, memory, commands);
}

}  // namespace

view::Command save_lines(const view::LogView& log, const view::LogChoice& choice) {
  const std::string text = view::selected_text(log.lines, view::all_lines(log.lines), true);
  return view::SaveLines{view::log_file_name(choice), text + "\n"};
}

void draw_log_lines(const LogPanel& panel, const Rect& body, LogMemory& memory,
                    view::CommandQueue& commands) {
  const view::LogView& log = panel.log;
  const float height = px(kLogRow);
  // Whole lines only, so that follow mode cuts none at the top.
  const float visible = std::max(height, std::floor((body.h - px(4)) / height) * height);
  const ScrollArea scroll("log lines", {body.x, body.y + px(3), body.w, visible});
  const Rect inside{body.x + px(12), body.y + px(3), body.w - px(24), visible};
  const float top =
      scroll.content.y +
      draw_log_notes(panel, {inside.x, scroll.content.y, inside.w, height}, memory, commands);
  const LogRows rows(log, inside.w - px(kTextAt), memory);
  memory.selection.follow(log.lines);
  const std::size_t count = rows.count();
  const auto first_row = [&](float y) {
    return static_cast<std::size_t>(std::clamp(row_at(y, top), 0.0, static_cast<double>(count)));
  };
  const std::size_t behind = std::min(count, first_row(inside.bottom()) + 1);
  for (std::size_t row = first_row(inside.y); row < behind; ++row) {
    const std::size_t line = rows.line_of(row);
    draw_log_row(log.lines[line], rows.part(row), rows.begins_line(row),
                 memory.selection.part_of(line, log.lines[line].text.size()),
                 {inside.x, y_of(row, top), inside.w, height});
  }
  if (count > 0) {
    const float begin = std::max(inside.y, top);
    select_with_mouse({log, rows, top, {inside.x, begin, inside.w, inside.bottom() - begin}},
                      memory, commands);
  }
  const float bottom = y_of(count, top);
  scroll.reach(bottom);
  // Over the rank table the lines are a different ImGui window than in the dock, scrolled to the
  // top.
  const float hidden = bottom - scroll.content.y - visible;
  if (memory.follow && (hidden != memory.drawn_height || ImGui::IsWindowAppearing()))
    ImGui::SetScrollHereY(1.0F);
  memory.drawn_height = hidden;
}

}  // namespace ringside::ui
