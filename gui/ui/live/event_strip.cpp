// The strip that shows the most important current event, and the list of the others.
#include <algorithm>
#include <string>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

bool loud(view::Tone tone) { return tone == view::Tone::kWarning || tone == view::Tone::kError; }

void draw_event(const view::EventView& event, float x, float middle_y, float right) {
  const Token color = event.dismissed ? Token::kDim : token_of(event.tone);
  draw_icon(icon_of(event.shape), ImVec2(x + px(6), middle_y), px(12), color_of(color));
  const SentenceStyle style = event.dismissed ? kDimSentence : SentenceStyle{};
  const float end = sentence_at(x + px(22), middle_y, right, event.main, style);
  sentence_at(end + px(14), middle_y, right, event.aside, kDimSentence);
}

/// A line that leads to its step, if it has one.
bool event_line(const char* id, Step step, const Rect& row) {
  const Hit hit = hit_area(id, row);
  if (step < 0) return false;
  if (hit.hovered) fill(row, color_of(Token::kHover), 3);
  tooltip("Show the steps around this event");
  return hit.clicked;
}

/// `times`: width of the column of times.
bool draw_moment(const view::MomentView& moment, int index, float times, const Rect& row) {
  const std::string id = "Moment " + std::to_string(index);
  const bool clicked = event_line(id.c_str(), moment.step, row);
  const float middle = row.middle_y();
  text_at(row.x + px(4), middle, Type::kAxis, color_of(Token::kDim), moment.time);
  float x = row.x + times;
  draw_icon(icon_of(moment.shape), ImVec2(x, middle), px(9), color_of(token_of(moment.tone)));
  x += px(14);
  if (moment.rank >= 0) {
    text_at(x, middle, Type::kAxis, rank_color(moment.rank), view::rank_label(moment.rank));
  }
  x += px(32);
  text_fitted(x, middle, row.right() - x - px(8), Type::kSmall, color_of(Token::kText),
              moment.text);
  return clicked;
}

void draw_event_list(const view::EventStripView& strip, const Rect& area,
                     view::CommandQueue& commands) {
  ImGui::SetNextWindowPos(ImVec2(area.x, area.bottom() + px(4)));
  ImGui::SetNextWindowSizeConstraints(ImVec2(area.w, 0), ImVec2(area.w, px(420)));
  if (!ImGui::BeginPopup("events")) return;
  Step jump = -1;
  const auto row = [&area](float height) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    return Rect{at.x, at.y, area.w - px(34), px(height)};
  };
  const Rect link = row(26);
  const bool settings =
      button(view::label::kAlertSettings, link.inset(px(4), px(1)), {ButtonKind::kLink});
  ImGui::SetCursorScreenPos(ImVec2(link.x, link.bottom()));
  ImGui::Separator();
  int index = 0;
  float times = px(96);
  for (const view::MomentView& moment : strip.moments)
    times = std::max(times, text_width(Type::kAxis, moment.time) + px(20));
  for (const view::MomentView& moment : strip.moments) {
    if (draw_moment(moment, index++, times, row(20))) jump = moment.step;
  }
  if (settings) commands.emplace_back(view::ShowAlertSettings{true});
  if (jump >= 0) commands.emplace_back(view::JumpTo{static_cast<double>(jump)});
  if (jump >= 0 || settings) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

/// Draws a text button at the right end. Returns the right edge of the remaining area.
float link_at_right(const char* word, const Rect& area, float right, bool& pressed) {
  const float width = text_width(Type::kSmallBold, word) + px(8);
  const Rect where{right - width, area.y + px(4), width, area.h - px(8)};
  pressed = button(word, where, {ButtonKind::kLink});
  return where.x - px(12);
}

}  // namespace

void draw_events(const view::EventStripView& strip, const Rect& area,
                 view::CommandQueue& commands) {
  const bool tinted = loud(strip.first.tone);
  fill(area, color_of(tinted ? tint_of(strip.first.tone) : Token::kPanel), 4);
  outline(area, tinted ? color_of(token_of(strip.first.tone), 0.55F) : color_of(Token::kLine), 4);
  const float middle = area.middle_y();
  float right = area.right() - px(12);
  if (!strip.count.empty()) {
    const Rect where{right - text_width(Type::kSmall, strip.count) - px(24), area.y + px(4),
                     text_width(Type::kSmall, strip.count) + px(28), area.h - px(8)};
    const Hit hit = hit_area("Events", where);
    const ImU32 color = color_of(hit.hovered ? Token::kHigh : Token::kText);
    text_at(where.x, middle, Type::kSmall, color, strip.count);
    draw_icon(Icon::kChevronDown, ImVec2(right - px(4), middle), px(12), color);
    if (hit.clicked) ImGui::OpenPopup("events");
    right = where.x - px(16);
    line_v(right, area.y + px(8), area.bottom() - px(8), color_of(Token::kLine2));
    right -= px(12);
  }
  if (strip.can_dismiss && area.w > px(640)) {
    bool pressed = false;
    right = link_at_right(view::label::kDismiss, area, right, pressed);
    tooltip("Hide until something new happens");
    if (pressed) commands.emplace_back(view::DismissAlerts{});
  }
  if (strip.can_show && area.w > px(520)) {
    bool pressed = false;
    right = link_at_right(view::label::kShowSteps, area, right, pressed);
    if (pressed) commands.emplace_back(view::JumpTo{static_cast<double>(strip.first.step)});
  }
  if (tinted || strip.can_show) {
    // The tooltip has the whole sentence, since a small window cuts the line.
    const Hit hit = hit_area(
        "Banner", {area.x + px(4), area.y + px(4), right - area.x - px(4), area.h - px(8)});
    tooltip(view::plain(strip.first.main) + " " + view::plain(strip.first.aside));
    if (hit.clicked && strip.can_show)
      commands.emplace_back(view::JumpTo{static_cast<double>(strip.first.step)});
  }
  draw_event(strip.first, area.x + px(11), middle, right);
  draw_event_list(strip, area, commands);
}

}  // namespace ringside::ui
