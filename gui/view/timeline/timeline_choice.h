// What a person chose of a timeline, and how zooming and moving change it: the part of the time,
// the selected event, what is searched, folded tracks. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "gui/model/timeline/timeline.h"

namespace ringside::view {

struct TimelineChoice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  ///< not above begin_ns: all of the time
  std::optional<model::EventPlace> selected{};
  std::string search{};
  std::set<std::uint32_t> folded{};  ///< tracks of which the first lane alone is shown
  bool operator==(const TimelineChoice&) const = default;
};

/// What is shown, by default with a little room on both sides.
struct TimelineSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 1;
};
TimelineSpan shown_span(const model::Timeline& timeline, const TimelineChoice& choice);

/// `factor` below 1 zooms in; what is at `at`, a share of the width, stays there.
void zoom(const model::Timeline& timeline, double factor, double at, TimelineChoice& choice);
/// Moves by a share of the width; above 0 to later times.
void move_by(const model::Timeline& timeline, double share, TimelineChoice& choice);
/// Fits the selected event, or if it does that already or none is selected, everything.
void fit(const model::Timeline& timeline, TimelineChoice& choice);
/// Selects an event and moves the window if it lies outside.
void show_event(const model::Timeline& timeline, const model::EventPlace& place,
                TimelineChoice& choice);

}  // namespace ringside::view
