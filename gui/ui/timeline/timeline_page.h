// The Timeline page: the choice of the trace, the tracks of all ranks with their mouse actions, the
// selected event, and the table of differences. Main thread, inside a frame; the memory lives as
// long as the window.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gui/ui/layout.h"
#include "gui/view/cached.h"
#include "gui/view/timeline/timeline_view.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

struct TimelineLayout : PageLayout {
  Rect strip;
  Rect tracks;
  Rect event;  ///< panel of the selected event
  Rect operations;

  void each(auto&& visit) {
    for (Rect* area : {&strip, &tracks, &event, &operations}) visit(*area);
  }
};
TimelineLayout timeline_layout(const FrameLayout& frame, float scale);

/// State of the page that is kept between frames.
struct TimelineMemory {
  struct ViewKey {
    std::uint64_t revision = 0;
    view::TimelineChoice choice;
    view::TimelineRoom room;
    bool operator==(const ViewKey&) const = default;
  };

  view::TimelineChoice choice;
  std::uint64_t source = 0;      ///< revision of the chosen source
  std::uint64_t revision = 0;    ///< revision of the timeline with the selected event
  std::int64_t selected_ns = 0;  ///< start of the selected event
  float scrolled = 0;
  double mouse_at = -1;  ///< a share of the width; below 0: not over the tracks
  bool focus_search = false;
  bool scroll_to_selected = false;
  bool dragged = false;
  view::TimelineChoice drag_from;  ///< the view when dragging began
  float drag_scrolled = 0;
  view::Cached<std::pair<std::uint64_t, std::string>, view::TimelineMatches> matches;
  view::Cached<ViewKey, view::TimelineView> view;
};

/// Returns the matches of the search; null: there is no search.
const view::TimelineMatches* timeline_matches(const view::TimelineInput& input,
                                              TimelineMemory& memory);
void show_timeline_event(const model::Timeline& timeline, const model::EventPlace& place,
                         TimelineMemory& memory);

void draw_timeline_tracks(const view::TimelineInput& input, const Rect& area,
                          TimelineMemory& memory);
void draw_timeline_page(const view::TimelineInput& input, const TimelineLayout& layout,
                        TimelineMemory& memory, view::CommandQueue& commands);

}  // namespace ringside::ui
