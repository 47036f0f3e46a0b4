// The strip that says what matters most now, and the list of what else there is.
#include <cmath>

#include "gui/ui/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

bool loud(view::Tone tone) { return tone == view::Tone::kWarning || tone == view::Tone::kError; }

void draw_event(const view::EventView& event, float x, float middle_y, float right) {
  draw_icon(icon_of(event.shape), ImVec2(x + px(6), middle_y), px(12), color(token_of(event.tone)));
  const float end = sentence_at(x + px(22), middle_y, right, event.main, SentenceLook{});
  sentence_at(end + px(14), middle_y, right, event.aside, kDimSentence);
}

void draw_event_list(const view::EventStripView& strip, const Rect& area) {
  ImGui::SetNextWindowPos(ImVec2(area.x, area.bottom() + px(4)));
  ImGui::SetNextWindowSize(ImVec2(area.w, 0));
  if (!ImGui::BeginPopup("events")) return;
  for (const view::EventView& event : strip.more) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_event(event, at.x, at.y + px(12), area.right() - px(16));
    ImGui::Dummy(ImVec2(px(10), px(24)));
  }
  ImGui::EndPopup();
}

}  // namespace

void draw_events(const view::EventStripView& strip, const Rect& area,
                 view::CommandQueue& commands) {
  const bool tinted = loud(strip.first.tone);
  fill(area, color(tinted ? tint_of(strip.first.tone) : Token::kPanel), 4);
  outline(area, tinted ? color(token_of(strip.first.tone), 0.55F) : color(Token::kLine), 4);
  const float middle = area.middle_y();
  float right = area.right() - px(12);
  if (!strip.count.empty()) {
    const Rect where{right - text_width(Type::kSmall, strip.count) - px(24), area.y + px(4),
                     text_width(Type::kSmall, strip.count) + px(28), area.h - px(8)};
    const Hit hit = hit_area("Events", where);
    const ImU32 ink = color(hit.hovered ? Token::kHigh : Token::kText);
    text_at(where.x, middle, Type::kSmall, ink, strip.count);
    draw_icon(Icon::kChevronDown, ImVec2(right - px(4), middle), px(12), ink);
    if (hit.clicked) ImGui::OpenPopup("events");
    right = where.x - px(16);
    line_v(right, area.y + px(8), area.bottom() - px(8), color(Token::kLine2));
    right -= px(12);
  }
  if (strip.can_show) {
    const float width = text_width(Type::kSmallBold, "Show steps") + px(8);
    const Rect where{right - width, area.y + px(4), width, area.h - px(8)};
    if (button("Show steps", where, {ButtonKind::kLink})) commands.emplace_back(view::NextEvent{});
    right = where.x - px(12);
  }
  draw_event(strip.first, area.x + px(11), middle, right);
  draw_event_list(strip, area);
}

}  // namespace ringside::ui
