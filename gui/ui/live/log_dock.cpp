// What the run and its ranks said: a tab per rank, a filter, and the choice to follow.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr std::array<const char*, 3> kSeverities{"Error", "Warning", "Info"};

float tab_width(const view::LogTab& tab) {
  const float block = tab.rank >= 0 ? px(16) : 0;
  const float count = tab.warnings > 0 ? px(26) : 0;
  return px(20) + block + text_width(Type::kSmallBold, tab.label) + count;
}

void choose(const view::LogTab& tab, LogMemory& memory) {
  memory.choice.all = tab.all;
  memory.choice.rank = tab.rank;
  memory.choice.node = tab.node;
  memory.chosen = true;
}

void draw_tab(const view::LogTab& tab, const Rect& area, bool on, LogMemory& memory) {
  const Hit hit = hit_area(tab.label.c_str(), area);
  if (hit.clicked) choose(tab, memory);
  tooltip(tab.hint);
  if (on) {
    fill(area, color_of(Token::kRaised));
    fill({area.x, area.bottom() - px(2), area.w, px(2)}, color_of(Token::kAccent));
  }
  float x = area.x + px(10);
  if (tab.rank >= 0) {
    fill({std::floor(x), std::floor(area.middle_y() - px(5)), px(10), px(10)}, rank_color(tab.rank),
         2);
    x += px(16);
  }
  const ImU32 color = color_of(on || hit.hovered ? Token::kHigh : Token::kDim);
  x = text_at(x, area.middle_y(), on ? Type::kSmallBold : Type::kSmall, color, tab.label);
  if (tab.warnings == 0) return;
  draw_icon(tab.failed ? Icon::kCross : Icon::kWarning, ImVec2(x + px(12), area.middle_y()), px(9),
            color_of(tab.failed ? Token::kError : Token::kWarning));
  text_at(x + px(19), area.middle_y(), Type::kAxis, color_of(Token::kWarning),
          std::to_string(tab.warnings));
}

/// The tabs that fit; the rest behind a list.
void draw_tabs(const view::LogView& log, LogMemory& memory, Rect area) {
  for (const view::LogTab& tab : log.tabs) {
    const float width = tab_width(tab);
    const bool last = &tab == &log.tabs.back();
    if (width + (last ? 0 : px(84)) > area.w) {
      if (area.w >= px(60) && button("More ranks", area.take_left(px(84)), {ButtonKind::kPlain}))
        ImGui::OpenPopup("log tabs");
      break;
    }
    draw_tab(tab, area.take_left(width), tab.is_of(memory.choice), memory);
  }
  if (!ImGui::IsPopupOpen("log tabs")) return;
  std::vector<std::string> words;
  for (const view::LogTab& tab : log.tabs) words.push_back(tab.label);
  const int picked = popup_list("log tabs", words);
  if (picked >= 0) choose(log.tabs[static_cast<std::size_t>(picked)], memory);
}

ImU32 line_color(messages::Severity severity) {
  switch (severity) {
    case messages::Severity::kError:
      return color_of(Token::kError);
    case messages::Severity::kWarning:
      return color_of(Token::kHigh);
    case messages::Severity::kInfo:
      break;
  }
  return color_of(Token::kText);
}

/// Draws the line in the colours that the program asked for, else in that of its severity.
void draw_text(const view::LogLine& line, float x, float middle) {
  const ImU32 plain = line_color(line.severity);
  if (line.color.empty()) {
    text_at(x, middle, Type::kNumber, plain, line.text);
    return;
  }
  std::size_t begin = 0;
  view::ColorSpan color;
  for (std::size_t i = 0; i <= line.color.size(); ++i) {
    const std::size_t end = i < line.color.size() ? line.color[i].begin : line.text.size();
    const std::string_view piece = std::string_view(line.text).substr(begin, end - begin);
    const ImU32 tint = color.tone == view::Tone::kText ? plain : color_of(token_of(color.tone));
    if (!piece.empty())
      x = text_at(x, middle, color.strong ? Type::kNumberBold : Type::kNumber, tint, piece);
    begin = end;
    if (i < line.color.size()) color = line.color[i];
  }
}

void draw_line(const view::LogLine& line, const Rect& area) {
  const float middle = area.middle_y();
  if (line.day) {
    text_at(area.x, middle, Type::kAxis, color_of(Token::kDim), line.text);
    return;
  }
  text_at(area.x, middle, Type::kAxis, color_of(Token::kDim), line.time);
  const float mark = area.x + px(96);
  if (line.rank >= 0) {
    fill({mark, area.y + px(2), px(3), area.h - px(4)}, rank_color(line.rank));
    text_at(mark + px(8), middle, Type::kAxis, rank_color(line.rank), view::rank_label(line.rank));
  }
  const float icon = mark + px(40);
  if (line.severity == messages::Severity::kInfo) {
    text_centered(icon, middle, Type::kAxis, color_of(Token::kFaint), "I");
  } else {
    const bool error = line.severity == messages::Severity::kError;
    draw_icon(error ? Icon::kCross : Icon::kWarning, ImVec2(icon, middle), px(9),
              color_of(error ? Token::kError : Token::kWarning));
  }
  draw_text(line, icon + px(14), middle);
}

/// What stands above the lines: how a search went, or how much is left out. Returns its height.
float draw_log_notes(const LogPanel& panel, const Rect& row, view::CommandQueue& commands) {
  const view::LogView& log = panel.log;
  const std::string& words = log.searched.empty() ? log.hidden : log.searched;
  if (words.empty() && !panel.has_earlier) return 0;
  const float end = text_at(row.x, row.middle_y(), Type::kLabel, color_of(Token::kDim), words);
  const float x = words.empty() ? row.x : end + px(10);
  if (!log.searched.empty()) {
    if (button("Back to the newest lines", {x, row.y, px(150), row.h}, {ButtonKind::kLink}))
      commands.emplace_back(view::SearchLogs{});
  } else if (panel.has_earlier) {
    if (button("Load earlier lines", {x, row.y, px(110), row.h}, {ButtonKind::kLink}))
      commands.emplace_back(view::EarlierLines{});
  }
  return row.h;
}

void draw_lines(const LogPanel& panel, const Rect& body, LogMemory& memory,
                view::CommandQueue& commands) {
  const view::LogView& log = panel.log;
  const float height = px(19);
  // Whole lines only, so that none is cut at the top while following.
  const float visible = std::max(height, std::floor((body.h - px(4)) / height) * height);
  const ScrollArea scroll("log lines", {body.x, body.y + px(3), body.w, visible});
  float y = scroll.content.y;
  y += draw_log_notes(panel, {body.x + px(12), y, body.w - px(24), height}, commands);
  for (const view::LogLine& line : log.lines) {
    if (y + height > body.y && y < body.bottom())
      draw_line(line, {body.x + px(12), y, body.w - px(24), height});
    y += height;
  }
  scroll.reach(y);
  // The lines over the rank table are another window than in the dock, which starts at the top.
  const float hidden = y - scroll.content.y - visible;
  if (memory.follow && (hidden != memory.drawn_height || ImGui::IsWindowAppearing()))
    ImGui::SetScrollHereY(1.0F);
  memory.drawn_height = hidden;
}

/// Filter, severity and follow, from the right as far as they fit; returns where they begin.
float draw_log_controls(const view::LogView& log, const Rect& header, LogMemory& memory,
                        view::CommandQueue& commands) {
  const float middle = header.middle_y();
  const int lowest = 2 - static_cast<int>(memory.choice.lowest);
  float x = header.right() - segmented_width(kSeverities);
  memory.choice.lowest =
      static_cast<messages::Severity>(2 - segmented("severity", x, middle, kSeverities, lowest));
  const float follow = px(84);
  const float width = std::clamp(x - header.x - follow - px(10), px(60), px(190));
  x -= width + px(10);
  const Rect field{x, std::floor(middle - px(10)), width, px(20)};
  text_field("##log filter", field, memory.choice.filter, Type::kSmall, {},
             "Filter text or /regex/");
  if (log.can_search && x - px(84) - follow >= header.x) {
    x -= px(84);
    const Rect where{x, std::floor(middle - px(10)), px(80), px(20)};
    if (button("Search files", where, {ButtonKind::kLink}))
      commands.emplace_back(view::SearchLogs{memory.choice.filter});
    tooltip("Searches everything the ranks wrote, however long the files are");
  }
  if (x - follow < header.x - px(4)) return x;
  x -= follow;
  tick_box("Follow", x, middle, memory.follow, "Follow");
  return x - px(12);
}

/// What stands at the right end of the tab bar: the folder, and closing or opening. Takes its room
/// off `header`.
void draw_log_corner(const LogPanel& dock, Rect& header, LogMemory& memory,
                     view::CommandQueue& commands) {
  if (dock.collapsed) {
    if (!button("Open log", header.take_right(px(64)), {ButtonKind::kLink})) return;
    if (dock.closed) commands.emplace_back(view::ToggleDock{view::Dock::kLogs});
    if (!dock.closed) memory.open = true;
    return;
  }
  const Rect corner = header.take_right(px(22), px(4));
  if (dock.over) {
    if (button("##close log", {corner.x, corner.y + px(3), corner.w, px(22)},
               {ButtonKind::kPlain, Icon::kChevronDown}))
      memory.open = false;
    tooltip("Collapse the log (L)");
  } else {
    dock_button(view::Dock::kLogs, false, {corner.middle_x(), corner.middle_y()}, commands);
  }
  const Rect folder = header.take_right(px(24), px(6));
  if (button("##log folder", {folder.x, folder.y + px(3), folder.w, px(22)},
             {ButtonKind::kPlain, Icon::kFolder}))
    commands.emplace_back(view::OpenFolder{});
  tooltip("Open the folder of this run");
}

}  // namespace

void dock_button(view::Dock dock, bool closed, ImVec2 middle, view::CommandQueue& commands) {
  const std::string id = std::string("##dock ") + (dock == view::Dock::kLogs ? "log" : "ranks");
  const Rect area{middle.x - px(10), std::floor(middle.y - px(10)), px(20), px(20)};
  if (button(id.c_str(), area, {ButtonKind::kPlain})) commands.emplace_back(view::ToggleDock{dock});
  tooltip(closed ? "Open this panel" : "Close this panel");
  draw_icon(closed ? Icon::kChevronUp : Icon::kChevronDown, middle, px(11), color_of(Token::kDim));
}

void draw_log(const LogPanel& dock, const Rect& area, LogMemory& memory,
              view::CommandQueue& commands) {
  const view::LogView& log = dock.log;
  if (!memory.chosen) {
    // The rank that failed first may turn out to be a victim: then all are shown again.
    memory.choice.all = log.first_failed == kNoRank;
    memory.choice.rank = log.first_failed;
  }
  const PanelFrame panel("log dock", area, {});
  Rect header{area.x + px(8), area.y, area.w - px(16), px(28)};
  Rect body = panel.body;
  draw_log_corner(dock, header, memory, commands);
  if (!dock.collapsed && area.w < px(760)) {
    // The controls stand below the tabs.
    Rect second = body.take_top(px(28), px(2));
    draw_log_controls(log, second.inset(px(8), 0), memory, commands);
  } else if (!dock.collapsed) {
    header.w = draw_log_controls(log, header, memory, commands) - header.x;
  }
  draw_tabs(log, memory, header);
  if (dock.collapsed) return;
  if (!log.filter_error.empty()) {
    text_fitted(area.x + px(14), body.y + px(14), area.w - px(28), Type::kSmall,
                color_of(Token::kError), log.filter_error);
  } else if (log.lines.empty() && log.searched.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), log.empty, kDimSentence);
  } else {
    draw_lines(dock, body, memory, commands);
  }
}

}  // namespace ringside::ui
