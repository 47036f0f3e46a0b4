// A person's choices for a timeline, and how zooming and moving change them: shown time, selected
// event, search, folded tracks. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "gui/model/timeline/timeline.h"

namespace ringside::view {

struct TimelineChoice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  ///< not above begin_ns: the whole time is shown
  std::optional<model::EventPlace> selected{};
  std::string search{};
  std::set<std::uint32_t> folded{};  ///< tracks of which only the first lane is shown
  bool operator==(const TimelineChoice&) const = default;
};

/// The shown time, by default all of it with a small margin on both sides.
struct TimelineSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 1;
};
TimelineSpan shown_span(const model::Timeline& timeline, const TimelineChoice& choice);

/// Zooms by `factor`, in if it is below 1, around `at`, a share of the width.
void zoom(const model::Timeline& timeline, double factor, double at, TimelineChoice& choice);
/// Moves by a share of the width; positive: to later times.
void move_by(const model::Timeline& timeline, double share, TimelineChoice& choice);
/// Fits the window to the selected event; if it fits already or nothing is selected, to everything.
void fit(const model::Timeline& timeline, TimelineChoice& choice);
/// Selects an event, and moves the window if the event lies outside.
void show_event(const model::Timeline& timeline, const model::EventPlace& place,
                TimelineChoice& choice);

}  // namespace ringside::view
