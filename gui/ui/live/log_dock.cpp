// The output of the agent and the ranks: a tab per rank, a filter, and the option to follow.
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

/// Draws the tabs that fit and a list for the others.
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

/// Draws filter, severity, follow and wrap, right-aligned, as far as they fit; returns their left
/// edge.
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
  const float wrap = px(74);
  if (x - wrap < header.x + px(120)) return x - px(12);  // leaves room for the tabs
  x -= wrap;
  tick_box("Wrap", x, middle, memory.wrap, "Wrap");
  tooltip("Long lines go on in the row below");
  return x - px(12);
}

/// Draws the right end of the tab bar: the folder, and the button that closes or opens the dock.
/// Cuts its width off `header`.
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
  const Rect save = header.take_right(px(24), px(6));
  if (button("##save log", {save.x, save.y + px(3), save.w, px(22)},
             {ButtonKind::kPlain, Icon::kDownload, !dock.log.lines.empty()}))
    commands.push_back(save_lines(dock.log, memory.choice));
  tooltip(view::label::kSaveLinesTip);
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
    // The rank that failed first may turn out not to be the cause; then all ranks are shown again.
    memory.choice.all = log.first_failed == kNoRank;
    memory.choice.rank = log.first_failed;
  }
  const PanelFrame panel("log dock", area, {});
  Rect header{area.x + px(8), area.y, area.w - px(16), px(28)};
  Rect body = panel.body;
  draw_log_corner(dock, header, memory, commands);
  if (!dock.collapsed && area.w < px(760)) {
    // The controls are in a second row below the tabs.
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
    draw_log_lines(dock, body, memory, commands);
  }
}

}  // namespace ringside::ui
