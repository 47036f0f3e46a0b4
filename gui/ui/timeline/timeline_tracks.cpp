// Draws the tracks of a timeline and handles the mouse over them.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gui/ui/timeline/timeline_page.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/timeline/timeline_words.h"

namespace ringside::ui {
namespace {

constexpr float kGutter = 176;
constexpr float kTimeAxisHeight = 24;
constexpr float kLane = 17;
constexpr float kBetweenTracks = 6;

ImU32 color_of_ink(const view::TimelineInk& ink) {
  return mixed_over_panel(color_of(ink.token), ink.share);
}

/// Text on a bright colour is dark or white; on a muted one it has the colour of values.
Token words_on(const view::TimelineInk& ink) {
  const bool loud = ink.token == Token::kDataWait || ink.token == Token::kAllReduce ||
                    ink.token == Token::kWaitSlowest;
  if (!loud) return Token::kHigh;
  return theme().light ? Token::kOnAccent : Token::kChipText;
}

/// Returns the area of a box on the screen; a wide box leaves a gap to the next one.
Rect place_of(const view::TimelineBox& box, const Rect& plot, float y) {
  const float width = box.end - box.begin;
  const float gap = width > 3 ? 1.0F : 0.0F;
  return {plot.x + box.begin, plot.y + y, std::max(1.0F, width - gap), px(kLane) - 1};
}

void fill_box(const Rect& area, ImU32 color) {
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(area.x, area.y),
                                            ImVec2(area.right(), area.bottom()), color);
}

void draw_track_lane(const view::TimelineLaneView& lane, const Rect& plot) {
  for (std::size_t i = 0; i < lane.boxes.size();) {
    const view::DrawnBox& box = lane.boxes[i];
    const std::size_t end = view::alike_until(lane.boxes, i);
    Rect area = place_of(box, plot, lane.y);
    if (end > i + 1) area.w = plot.x + lane.boxes[end - 1].end - area.x;
    fill_box(area, color_of_ink(box.ink));
    i = end;
  }
  for (const view::TimelineBox& box : lane.waits)
    fill_box(place_of(box, plot, lane.y), color_of(Token::kWaitSlowest));
  for (const view::DrawnBox& box : lane.boxes) {
    if (box.label.empty()) continue;
    const Rect area = place_of(box, plot, lane.y);
    text_fitted(area.x + px(4), area.middle_y(), area.w - px(6), Type::kLabel, words_on(box.ink),
                box.label);
  }
  for (const view::TimelineBox& box : lane.found) {
    const Rect area = place_of(box, plot, lane.y);
    if (area.w < 4) {
      fill_box(area, color_of(Token::kAccent));
    } else {
      outline(area, Token::kAccent);
    }
  }
}

void draw_arrow(const view::TimelineArrow& arrow, const Rect& plot) {
  const ImU32 color = color_of(Token::kWaitSlowest);
  const float x = std::floor(plot.x + arrow.x);
  const float from = plot.y + arrow.from_y, to = plot.y + arrow.to_y;
  const float head = px(4) * (to > from ? -1.0F : 1.0F);
  line_v(x, std::min(from, to), std::max(from, to), color);
  ImGui::GetWindowDrawList()->AddTriangleFilled(ImVec2(x, to), ImVec2(x - px(3), to + head),
                                                ImVec2(x + px(3), to + head), color);
}

/// Draws rank, name and the fold button, left of the lanes.
void draw_track_head(const view::TimelineHead& head, const Rect& gutter, TimelineMemory& memory) {
  const float y = gutter.y + head.y;
  const float middle = y + px(kLane) * 0.5F;
  if (head.first) {
    line_h(gutter.x - px(4), gutter.right() - px(6), std::floor(y - px(kBetweenTracks)),
           Token::kLine);
    if (head.rank != kNoRank) rank_chip(gutter.x, middle, head.rank);
  }
  const float x = gutter.x + (head.rank == kNoRank ? 0 : rank_chip_width(head.rank) + px(6));
  const std::string words =
      head.rank == kNoRank && head.first ? head.process + ", " + head.title : head.title;
  const float right = gutter.right() - px(head.folds ? 26 : 10);
  text_fitted(x, middle, right - x, Type::kLabel, Token::kDim, words);
  note_cut({x, y, right - x, px(kLane)}, head.process + ", " + head.title);
  if (!head.folds) return;
  const std::string id =
      (head.folded ? "Unfold " : "Fold ") + head.title + "##" + std::to_string(head.track);
  const Rect button{gutter.right() - px(24), y, px(16), px(kLane)};
  const Hit hit = hit_area(id.c_str(), button);
  tooltip(head.folded ? "Show what it calls" : "Show its first lane alone");
  draw_icon(head.folded ? Icon::kChevronRight : Icon::kChevronDown,
            ImVec2(button.middle_x(), middle), px(8), hit.hovered ? Token::kHigh : Token::kDim);
  if (!hit.clicked) return;
  if (memory.choice.folded.erase(head.track) == 0) memory.choice.folded.insert(head.track);
}

void draw_time_axis(const view::TimelineView& view, const Rect& plot) {
  const float middle = plot.y - px(kTimeAxisHeight) * 0.5F;
  float free_from = plot.x;
  for (const view::Tick& tick : view.ticks) {
    const auto x = std::floor(plot.x + static_cast<float>(tick.at));
    line_v(x, plot.y, plot.bottom(), Token::kGrid);
    const float half = text_width(Type::kAxis, tick.label) * 0.5F;
    if (x - half < free_from || x + half > plot.right()) continue;
    text_centered(x, middle, Type::kAxis, Token::kDim, tick.label);
    free_from = x + half + px(12);
  }
}

/// Draws the scroll position and how much is out of view.
void draw_scrolled(const view::TimelineView& view, const view::TimelineRoom& room,
                   const Rect& plot) {
  if (view.height <= room.height) return;
  const float share = room.height / view.height;
  const float y = plot.y + plot.h * room.scrolled / view.height;
  fill({plot.right() - px(4), y, px(4), std::max(px(12), plot.h * share)}, Token::kLine2, 2);
}

void take_hold(TimelineMemory& memory) {
  memory.dragged = true;
  memory.drag_from = memory.choice;
  memory.drag_scrolled = memory.scrolled;
}

void drag(const model::Timeline& timeline, const Rect& plot, TimelineMemory& memory) {
  if (!memory.dragged) take_hold(memory);
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, px(3));
  memory.choice.begin_ns = memory.drag_from.begin_ns;
  memory.choice.end_ns = memory.drag_from.end_ns;
  view::move_by(timeline, -static_cast<double>(moved.x / plot.w), memory.choice);
  memory.scrolled = memory.drag_scrolled - moved.y;
}

void use_wheel(const model::Timeline& timeline, bool over_tracks, TimelineMemory& memory) {
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // prevents scrolling of the page
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheelH != 0)
    view::move_by(timeline, -0.1 * static_cast<double>(io.MouseWheelH), memory.choice);
  if (io.MouseWheel == 0) return;
  if (over_tracks && !io.KeyShift) {
    const double factor = std::pow(1.25, -static_cast<double>(io.MouseWheel));
    view::zoom(timeline, factor, memory.mouse_at, memory.choice);
  } else {
    memory.scrolled -= io.MouseWheel * px(3 * kLane);
  }
}

/// The wheel zooms around the mouse, dragging pans, a click selects, a double click shows all.
void use_mouse_on(const model::Timeline& timeline, const view::TimelineView& view,
                  const view::TimelineRoom& room, const Rect& plot, TimelineMemory& memory) {
  const Hit hit = hit_area("Tracks", plot);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool was_dragged = memory.dragged;
  memory.mouse_at = hit.hovered ? static_cast<double>((mouse.x - plot.x) / plot.w) : -1;
  if (!hit.held) memory.dragged = false;
  if (hit.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3)))
    return drag(timeline, plot, memory);
  if (!hit.hovered) return;
  use_wheel(timeline, true, memory);
  const view::TimelineHit at = view::hit_at(view, room, mouse.x - plot.x, mouse.y - plot.y);
  if (const std::string hint = view::timeline_hint(timeline, at, view.window); !hint.empty())
    tooltip(hint);
  if ((!hit.clicked && !hit.double_clicked) || was_dragged) return;
  memory.choice.selected.reset();
  if (at.box == nullptr || at.box->events > 1) return;
  memory.choice.selected = model::EventPlace{at.lane->track, at.lane->lane, at.box->first};
  memory.selected_ns = timeline.lane_of(*memory.choice.selected).begin_ns[at.box->first];
  if (!hit.double_clicked) return;
  view::fit(timeline, memory.choice);
  take_hold(memory);  // another event is under the mouse when its button is released
}

const view::TimelineView& view_of(const view::TimelineInput& input, const view::TimelineRoom& room,
                                  TimelineMemory& memory) {
  const view::TimelineMatches* const matches = timeline_matches(input, memory);
  return memory.view.get({input.revision, memory.choice, room}, [&] {
    return view::build_timeline_view(*input.timeline, memory.choice, matches, room);
  });
}

}  // namespace

void draw_timeline_tracks(const view::TimelineInput& input, const Rect& area,
                          TimelineMemory& memory) {
  const PanelFrame panel("timeline tracks", area, "Tracks",
                         view::timeline_size_text(*input.timeline));
  Rect plot = panel.body.inset(px(12), px(4));
  plot.take_top(px(kTimeAxisHeight));
  Rect gutter = plot.take_left(std::min(px(kGutter), plot.w * 0.3F));
  view::TimelineRoom room{std::max(1, static_cast<int>(plot.w)), plot.h, px(kLane),
                          px(kBetweenTracks), memory.scrolled};
  if (std::exchange(memory.scroll_to_selected, false) && memory.choice.selected) {
    const float top = view::lane_top(*input.timeline, memory.choice, room, *memory.choice.selected);
    if (top < room.scrolled || top + room.lane > room.scrolled + room.height)
      room.scrolled = top - room.height * 0.4F;
  }
  room.scrolled = std::max(0.0F, room.scrolled);
  const view::TimelineView* view = &view_of(input, room, memory);
  const float most = std::max(0.0F, view->height - room.height);
  if (room.scrolled > most) {
    room.scrolled = most;
    view = &view_of(input, room, memory);
  }
  memory.scrolled = room.scrolled;
  draw_time_axis(*view, plot);
  ImGui::PushClipRect(ImVec2(gutter.x - px(6), gutter.y), ImVec2(plot.right(), plot.bottom()),
                      true);
  for (const view::TimelineHead& head : view->heads) draw_track_head(head, gutter, memory);
  ImGui::PushClipRect(ImVec2(plot.x, plot.y), ImVec2(plot.right(), plot.bottom()), true);
  for (const view::TimelineLaneView& lane : view->lanes) draw_track_lane(lane, plot);
  for (const view::TimelineArrow& arrow : view->arrows) draw_arrow(arrow, plot);
  if (view->selected)
    outline(place_of(*view->selected, plot, view->selected_y).inset(-1, -1), Token::kHigh);
  draw_scrolled(*view, room, plot);
  ImGui::PopClipRect();
  ImGui::PopClipRect();
  const bool over_heads = ImGui::IsWindowHovered() &&
                          gutter.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
  if (over_heads) use_wheel(*input.timeline, false, memory);
  use_mouse_on(*input.timeline, *view, room, plot, memory);
}

}  // namespace ringside::ui
