// A timeline as the eye sees it: tracks of all ranks under each other, boxes of what is in the
// window and in sight, arrows from the rank that entered a collective last to those that waited for
// it, what is selected and what a search finds. Pure; texts of boxes are those of the timeline,
// which must outlive the view.
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

/// The events whose names hold a text, whatever its case.
struct TimelineMatches {
  std::string text;
  std::uint64_t events = 0;
  std::vector<std::vector<model::Lane>> lanes{};  ///< by track and lane, those events alone
};
TimelineMatches find_matches(const model::Timeline& timeline, const std::string& text);
/// The first of them that begins after the selected event, or with `back` the last before it; round
/// the end. Nothing without any.
std::optional<model::EventPlace> next_match(const model::Timeline& timeline,
                                            const TimelineMatches& matches,
                                            const std::optional<model::EventPlace>& from,
                                            bool back = false);

/// Where there is room, in pixels.
struct TimelineRoom {
  int width = 1;
  float height = 1;
  float lane = 16;  ///< height of one
  float gap = 6;    ///< between tracks
  float scrolled = 0;
  bool operator==(const TimelineRoom&) const = default;
};

struct TimelineInk {
  Token token = Token::kSmallBar;
  float share = 1;  ///< the rest is the panel's colour
};

struct DrawnBox : TimelineBox {
  TimelineInk ink;
  std::string_view label{};  ///< empty: no room, or several events
};

struct TimelineLaneView {
  std::uint32_t track = 0;
  std::uint32_t lane = 0;
  float y = 0;  ///< from the top of the room
  std::vector<DrawnBox> boxes{};
  std::vector<TimelineBox> found{};  ///< over the others
  std::vector<TimelineBox> waits{};  ///< the part of a collective in which the rank waited
};

/// The words left of a track.
struct TimelineHead {
  std::uint32_t track = 0;
  Rank rank = kNoRank;
  std::string title;
  std::string process;
  float y = 0;
  float height = 0;
  bool first = false;  ///< of its rank or process
  bool folds = false;  ///< has more lanes than one
  bool folded = false;
};

/// From the rank that came last up or down to one that waited.
struct TimelineArrow {
  float x = 0;
  float from_y = 0;
  float to_y = 0;
};

struct TimelineView {
  std::vector<TimelineHead> heads;
  std::vector<TimelineLaneView> lanes;
  std::vector<TimelineArrow> arrows;
  bool more_arrows = false;  ///< too many to be told apart: those of the selected event alone
  std::vector<Tick> ticks;   ///< at pixels
  std::optional<TimelineBox> selected;  ///< if it is in sight
  float selected_y = 0;
  float height = 0;  ///< of all tracks
  TimelineWindow window;
};

TimelineView build_timeline_view(const model::Timeline& timeline, const TimelineChoice& choice,
                                 const TimelineMatches* matches, const TimelineRoom& room);

/// How far down a lane lies, from the top of all tracks.
float lane_top(const model::Timeline& timeline, const TimelineChoice& choice,
               const TimelineRoom& room, const model::EventPlace& place);

/// The selected event of a timeline that went on: what begins at that moment in its lane; nothing
/// if it is not there any more.
std::optional<model::EventPlace> found_again(const model::Timeline& timeline,
                                             const model::EventPlace& place, std::int64_t begin_ns);

/// What lies at a point of the room; null: nothing.
struct TimelineHit {
  const TimelineLaneView* lane = nullptr;
  const DrawnBox* box = nullptr;
};
TimelineHit hit_at(const TimelineView& view, const TimelineRoom& room, float x, float y);

}  // namespace ringside::view
