#include "gui/view/timeline/timeline_view.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/timeline/timeline_words.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using model::EventPlace;
using model::Timeline;
using model::Track;
using model::TrackKind;

constexpr std::size_t kMostArrows = 400;
constexpr float kThinWidth = 3;    // up to this width no gap to the next box is drawn
constexpr float kLabelWidth = 28;  // minimum width of a box with a label

/// Calls visit(track, y, lanes, first) for each track from top to bottom; returns the total height.
template <class Visit>
float each_track(const Timeline& timeline, const TimelineChoice& choice, const TimelineRoom& room,
                 const Visit& visit) {
  float y = 0;
  for (std::uint32_t i = 0; i < timeline.tracks.size(); ++i) {
    const Track& track = timeline.tracks[i];
    const Track* const above = i > 0 ? &timeline.tracks[i - 1] : nullptr;
    const bool first = above == nullptr || above->rank != track.rank ||
                       (track.rank == kNoRank && above->process != track.process);
    if (first && above != nullptr) y += 2 * room.gap;
    const std::size_t lanes = choice.folded.contains(i) ? 1 : track.lanes.size();
    visit(i, y, lanes, first);
    y += room.lane * static_cast<float>(lanes) + room.gap;
  }
  return y;
}

bool in_sight(float y, float height, const TimelineRoom& room) {
  return y + height > 0 && y < room.height;
}

void add_ticks(TimelineView& view) {
  const TimelineWindow& window = view.window;
  const int most = std::max(2, window.pixels / 110);
  for (const Tick& tick : linear_ticks(static_cast<double>(window.begin_ns),
                                       static_cast<double>(window.end_ns), most)) {
    const double x = (tick.at - static_cast<double>(window.begin_ns)) / window.ns_per_pixel();
    view.ticks.push_back({x, span_text(tick.at)});
  }
}

TimelineLaneView lane_view(const Timeline& timeline, std::uint32_t track, std::uint32_t lane,
                           float y, const TimelineView& view) {
  TimelineLaneView seen{.track = track, .lane = lane, .y = y};
  const TrackKind kind = timeline.tracks[track].kind;
  for (const TimelineBox& box : lane_boxes(timeline.tracks[track].lanes[lane], view.window)) {
    const model::EventName& name = timeline.names[box.name];
    DrawnBox drawn{box, ink_of(name, kind, box.events > 1)};
    if (box.events > 1) drawn.ink.share *= static_cast<float>(box.fullness) / 8;
    if (box.events == 1 && box.end - box.begin >= kLabelWidth) drawn.label = name.text;
    seen.boxes.push_back(std::move(drawn));
  }
  return seen;
}

/// Top and lane count of each track, so that many lanes are found without a pass over all tracks.
struct TrackPlace {
  float top = 0;
  std::size_t lanes = 0;
};

std::vector<TrackPlace> track_places(const Timeline& timeline, const TimelineChoice& choice,
                                     const TimelineRoom& room) {
  std::vector<TrackPlace> places;
  places.reserve(timeline.tracks.size());
  each_track(timeline, choice, room, [&](std::uint32_t, float top, std::size_t lanes, bool) {
    places.push_back({top, lanes});
  });
  return places;
}

float top_of(const std::vector<TrackPlace>& places, const TimelineRoom& room,
             const EventPlace& place) {
  const TrackPlace& track = places[place.track];
  return track.top +
         room.lane * static_cast<float>(std::min<std::size_t>(place.lane, track.lanes - 1));
}

bool concerns(const model::Wait& wait, const std::optional<EventPlace>& selected) {
  return selected && (wait.waiting == *selected || wait.last == *selected);
}

/// Returns the waits that end in the window.
std::span<const model::Wait> waits_in(const Timeline& timeline, const TimelineWindow& window) {
  const auto begin =
      std::ranges::lower_bound(timeline.waits, window.begin_ns, {}, &model::Wait::end_ns);
  const auto end =
      std::ranges::upper_bound(timeline.waits, window.end_ns, {}, &model::Wait::end_ns);
  return {begin, end};
}

void add_waits(const Timeline& timeline, const TimelineChoice& choice, const TimelineRoom& room,
               TimelineView& view) {
  const auto waits = waits_in(timeline, view.window);
  if (waits.empty()) return;
  const auto places = track_places(timeline, choice, room);
  const auto middle = [&](const EventPlace& place) {
    return top_of(places, room, place) - room.scrolled + room.lane * 0.5F;
  };
  view.more_arrows = waits.size() > kMostArrows;
  for (const model::Wait& wait : waits) {
    if (view.more_arrows && !concerns(wait, choice.selected)) continue;
    const float from = middle(wait.last);
    const float to = middle(wait.waiting);
    if (std::max(from, to) < 0 || std::min(from, to) > room.height) continue;
    view.arrows.push_back({view.window.x_of(wait.end_ns), from, to});
    const auto lane = std::ranges::find_if(view.lanes, [&](const TimelineLaneView& one) {
      return one.track == wait.waiting.track && one.lane == wait.waiting.lane;
    });
    if (lane == view.lanes.end()) continue;
    TimelineBox box;
    box.begin = std::max(
        0.0F, view.window.x_of(timeline.lane_of(wait.waiting).begin_ns[wait.waiting.event]));
    box.end = view.window.x_of(wait.end_ns);
    box.first = wait.waiting.event;
    lane->waits.push_back(box);
  }
}

void add_selected(const Timeline& timeline, const TimelineChoice& choice, const TimelineRoom& room,
                  TimelineView& view) {
  if (!choice.selected) return;
  const model::Lane& lane = timeline.lane_of(*choice.selected);
  const std::size_t event = choice.selected->event;
  TimelineBox box;
  box.begin = std::max(-2.0F, view.window.x_of(lane.begin_ns[event]));
  box.end = std::min(static_cast<float>(room.width) + 2,
                     std::max(view.window.x_of(lane.end_ns(event)), box.begin + 2));
  view.selected_y = lane_top(timeline, choice, room, *choice.selected) - room.scrolled;
  if (box.end >= box.begin && in_sight(view.selected_y, room.lane, room)) view.selected = box;
}

}  // namespace

std::size_t alike_until(const std::vector<DrawnBox>& boxes, std::size_t at) {
  const auto thin = [](const DrawnBox& box) { return box.end - box.begin <= kThinWidth; };
  std::size_t end = at + 1;
  if (!thin(boxes[at])) return end;
  while (end < boxes.size() && thin(boxes[end]) && boxes[end].ink == boxes[at].ink &&
         boxes[end].begin <= boxes[end - 1].end)
    ++end;
  return end;
}

TimelineView build_timeline_view(const Timeline& timeline, const TimelineChoice& choice,
                                 const TimelineMatches* matches, const TimelineRoom& room) {
  TimelineView view;
  const TimelineSpan span = shown_span(timeline, choice);
  view.window = {span.begin_ns, span.end_ns, std::max(1, room.width)};
  add_ticks(view);
  view.height = each_track(
      timeline, choice, room, [&](std::uint32_t i, float top, std::size_t lanes, bool first) {
        const Track& track = timeline.tracks[i];
        const float y = top - room.scrolled;
        const float height = room.lane * static_cast<float>(lanes);
        if (!in_sight(y, height, room)) return;
        view.heads.push_back({i, track.rank, track.title, track.process, y, height, first,
                              track.lanes.size() > 1, choice.folded.contains(i)});
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
          const float lane_y = y + room.lane * static_cast<float>(lane);
          if (!in_sight(lane_y, room.lane, room)) continue;
          view.lanes.push_back(lane_view(timeline, i, lane, lane_y, view));
          if (matches != nullptr)
            view.lanes.back().found = lane_boxes(matches->lanes[i][lane], view.window);
        }
      });
  add_waits(timeline, choice, room, view);
  add_selected(timeline, choice, room, view);
  return view;
}

float lane_top(const Timeline& timeline, const TimelineChoice& choice, const TimelineRoom& room,
               const EventPlace& place) {
  return top_of(track_places(timeline, choice, room), room, place);
}

std::optional<EventPlace> found_again(const Timeline& timeline, const EventPlace& place,
                                      std::int64_t begin_ns) {
  if (place.track >= timeline.tracks.size()) return std::nullopt;
  const auto& lanes = timeline.tracks[place.track].lanes;
  if (place.lane >= lanes.size()) return std::nullopt;
  const std::size_t at = model::first_beginning_at(lanes[place.lane], 0, begin_ns);
  if (at >= lanes[place.lane].size() || lanes[place.lane].begin_ns[at] != begin_ns)
    return std::nullopt;
  return EventPlace{place.track, place.lane, static_cast<std::uint32_t>(at)};
}

TimelineHit hit_at(const TimelineView& view, const TimelineRoom& room, float x, float y) {
  TimelineHit hit;
  for (const TimelineLaneView& lane : view.lanes) {
    if (y < lane.y || y >= lane.y + room.lane) continue;
    hit.lane = &lane;
    for (const DrawnBox& box : lane.boxes) {
      // A thin box can also be hit slightly beside it.
      const float reach = box.end - box.begin < 3 ? 2.0F : 0.0F;
      if (x < box.begin - reach || x >= box.end + reach) continue;
      hit.box = &box;
      if (reach == 0) break;
    }
  }
  return hit;
}

TimelineMatches find_matches(const Timeline& timeline, const std::string& text) {
  TimelineMatches found{.text = text};
  const std::string wanted = lower_case(text);
  std::vector<bool> named(timeline.names.size());
  for (std::size_t i = 0; i < named.size(); ++i)
    named[i] = lower_case(timeline.names[i].text).find(wanted) != std::string::npos;
  for (const Track& track : timeline.tracks) {
    auto& lanes = found.lanes.emplace_back();
    for (const model::Lane& lane : track.lanes) {
      model::Lane& kept = lanes.emplace_back();
      for (std::size_t i = 0; i < lane.size(); ++i) {
        if (named[lane.name[i]]) kept.add(lane.begin_ns[i], lane.duration_ns(i), lane.name[i]);
      }
      found.events += kept.size();
    }
  }
  return found;
}

std::optional<EventPlace> next_match(const Timeline& timeline, const TimelineMatches& matches,
                                     const std::optional<EventPlace>& from, bool back) {
  // Matches are ordered by time, then from top to bottom, reversed for `back`. Matches before
  // `from` follow at the end, so that the search wraps around.
  const std::int64_t sign = back ? -1 : 1;
  const auto moment = [sign](std::int64_t begin_ns, std::uint32_t track, std::uint32_t lane) {
    return std::tuple(sign * begin_ns, sign * track, sign * lane);
  };
  using Key = std::tuple<bool, std::int64_t, std::int64_t, std::int64_t>;
  const std::int64_t first = std::numeric_limits<std::int64_t>::min();
  auto now = std::tuple(first, first, first);
  if (from) now = moment(timeline.lane_of(*from).begin_ns[from->event], from->track, from->lane);
  std::optional<Key> best;
  for (std::uint32_t track = 0; track < matches.lanes.size(); ++track) {
    for (std::uint32_t lane = 0; lane < matches.lanes[track].size(); ++lane) {
      for (const std::int64_t begin_ns : matches.lanes[track][lane].begin_ns) {
        const auto at = moment(begin_ns, track, lane);
        const Key key = std::tuple_cat(std::tuple(at <= now), at);
        if (!best || key < *best) best = key;
      }
    }
  }
  if (!best) return std::nullopt;
  const auto begin_ns = sign * std::get<1>(*best);
  const auto track = static_cast<std::uint32_t>(sign * std::get<2>(*best));
  const auto lane = static_cast<std::uint32_t>(sign * std::get<3>(*best));
  const model::Lane& whole = timeline.tracks[track].lanes[lane];
  const std::string wanted = lower_case(matches.text);
  for (std::size_t i = model::first_beginning_at(whole, 0, begin_ns); i < whole.size(); ++i) {
    if (lower_case(timeline.names[whole.name[i]].text).find(wanted) != std::string::npos)
      return EventPlace{track, lane, static_cast<std::uint32_t>(i)};
  }
  return std::nullopt;
}

}  // namespace ringside::view
