// A timeline as drawn: tracks of all ranks below each other, boxes of the visible events, arrows
// from the rank that entered a collective last to those that waited for it, the selection and the
// search results. Pure; texts of boxes refer to the timeline, which must outlive the view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/view/chart/chart.h"
#include "gui/view/timeline/lane_boxes.h"
#include "gui/view/timeline/timeline_choice.h"

namespace ringside::view {

/// The events whose names contain a text, ignoring case.
struct TimelineMatches {
  std::string text;
  std::uint64_t events = 0;
  std::vector<std::vector<model::Lane>> lanes{};  ///< by track and lane, only the matching events
};
TimelineMatches find_matches(const model::Timeline& timeline, const std::string& text);
/// Returns the first match after the selected event, or with `back` the last one before it; wraps
/// around at the end. Empty if there is no match.
std::optional<model::EventPlace> next_match(const model::Timeline& timeline,
                                            const TimelineMatches& matches,
                                            const std::optional<model::EventPlace>& from,
                                            bool back = false);

/// The size and layout of the visible area, in pixels.
struct TimelineRoom {
  int width = 1;
  float height = 1;
  float lane = 16;  ///< height of a lane
  float gap = 6;    ///< space between tracks
  float scrolled = 0;
  bool operator==(const TimelineRoom&) const = default;
};

struct TimelineInk {
  Token token = Token::kSmallBar;
  float share = 1;  ///< opacity of the colour over the panel's
  bool operator==(const TimelineInk&) const = default;
};

struct DrawnBox : TimelineBox {
  TimelineInk ink;
  std::string_view label{};  ///< empty: no room, or several events
};

/// Returns the end of the thin boxes from `at` on that adjoin each other in one colour, and so look
/// like one box; at + 1 for any other box.
std::size_t alike_until(const std::vector<DrawnBox>& boxes, std::size_t at);

struct TimelineLaneView {
  std::uint32_t track = 0;
  std::uint32_t lane = 0;
  float y = 0;  ///< from the top of the visible area
  std::vector<DrawnBox> boxes{};
  std::vector<TimelineBox> found{};  ///< search results, drawn over the other boxes
  std::vector<TimelineBox> waits{};  ///< the parts of collectives in which the rank waited
};

/// The labels to the left of a track.
struct TimelineHead {
  std::uint32_t track = 0;
  Rank rank = kNoRank;
  std::string title;
  std::string process;
  float y = 0;
  float height = 0;
  bool first = false;  ///< first track of its rank or process
  bool folds = false;  ///< it has more than one lane
  bool folded = false;
};

/// An arrow from the rank that entered last to one that waited.
struct TimelineArrow {
  float x = 0;
  float from_y = 0;
  float to_y = 0;
};

struct TimelineView {
  std::vector<TimelineHead> heads;
  std::vector<TimelineLaneView> lanes;
  std::vector<TimelineArrow> arrows;
  bool more_arrows = false;  ///< too many to draw: only those of the selected event are shown
  std::vector<Tick> ticks;   ///< positions in pixels
  std::optional<TimelineBox> selected;  ///< empty: not visible
  float selected_y = 0;
  float height = 0;  ///< total height of all tracks
  TimelineWindow window;
};

TimelineView build_timeline_view(const model::Timeline& timeline, const TimelineChoice& choice,
                                 const TimelineMatches* matches, const TimelineRoom& room);

/// Returns the y position of a lane from the top of all tracks.
float lane_top(const model::Timeline& timeline, const TimelineChoice& choice,
               const TimelineRoom& room, const model::EventPlace& place);

/// Finds the selected event again after its timeline has grown: the event of the same lane that
/// begins at that moment; empty if there is none.
std::optional<model::EventPlace> found_again(const model::Timeline& timeline,
                                             const model::EventPlace& place, std::int64_t begin_ns);

/// The lane and box at a point of the visible area; null: none.
struct TimelineHit {
  const TimelineLaneView* lane = nullptr;
  const DrawnBox* box = nullptr;
};
TimelineHit hit_at(const TimelineView& view, const TimelineRoom& room, float x, float y);

}  // namespace ringside::view
