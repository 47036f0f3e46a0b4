#include "gui/model/timeline/timeline_builder.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace ringside::model {
namespace {

/// Returns the lane and index at which an event of this track was put.
std::optional<EventPlace> find_event(const std::vector<Track>& tracks, std::uint32_t track,
                                     std::int64_t begin_ns, std::uint32_t name) {
  const auto& lanes = tracks[track].lanes;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (std::size_t at = first_beginning_at(lanes[i], 0, begin_ns);
         at < lanes[i].size() && lanes[i].begin_ns[at] == begin_ns; ++at) {
      if (lanes[i].name[at] != name) continue;
      return EventPlace{track, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(at)};
    }
  }
  return std::nullopt;
}

/// Puts each event into the lowest lane that is free when it begins, so that inner events lie below
/// outer ones. Returns the number of events that found no free lane.
template <class Raw>
std::uint64_t fill_lanes(const std::vector<Raw>& events, std::int64_t origin_ns,
                         std::vector<Lane>& lanes) {
  std::vector<std::int64_t> free_from;
  std::uint64_t left_out = 0;
  for (const Raw& event : events) {
    std::size_t lane = 0;
    while (lane < free_from.size() && free_from[lane] > event.begin_ns) ++lane;
    if (lane == kMostLanes) {
      ++left_out;
      continue;
    }
    if (lane == free_from.size()) {
      free_from.push_back(0);
      lanes.emplace_back();
    }
    lanes[lane].add(event.begin_ns - origin_ns, event.duration_ns, event.name);
    free_from[lane] = event.begin_ns + event.duration_ns;
  }
  return left_out;
}

constexpr std::string_view kOurStep = "step ", kProfilerStep = "ProfilerStep#";

bool is_our_step(const EventName& name) {
  return name.category == "step" && name.text.starts_with(kOurStep);
}

/// Counts steps by their names: "step 7" of ours, "ProfilerStep#7" of PyTorch's profiler. Both may
/// have recorded the same steps.
std::int64_t steps_of(const std::vector<EventName>& names) {
  std::set<std::string_view> ours, profilers;
  for (const EventName& name : names) {
    if (is_our_step(name)) ours.insert(name.text);
    if (name.text.starts_with(kProfilerStep)) profilers.insert(name.text);
  }
  return static_cast<std::int64_t>(std::max(ours.size(), profilers.size()));
}

}  // namespace

bool is_step(const EventName& name) {
  return is_our_step(name) || name.text.starts_with(kProfilerStep);
}

std::uint32_t TimelineBuilder::name(std::string_view text, std::string_view category) {
  key_.assign(category).append(1, '\n').append(text);
  const auto [known, fresh] = known_.try_emplace(key_, static_cast<std::uint32_t>(names_.size()));
  if (fresh) {
    names_.push_back({std::string(text), std::string(category)});
    other_bytes_ += 2 * key_.size() + sizeof(EventName) + sizeof(*known);
  }
  return known->second;
}

std::uint32_t TimelineBuilder::add_track(Track track) {
  tracks_.push_back({std::move(track), {}});
  other_bytes_ += 2 * sizeof(RawTrack);  // also the lanes of the finished track
  return static_cast<std::uint32_t>(tracks_.size() - 1);
}

void TimelineBuilder::add(std::uint32_t track, std::int64_t begin_ns, std::int64_t duration_ns,
                          std::uint32_t name) {
  tracks_[track].events.push_back({begin_ns, duration_ns, name});
  ++names_[name].events;
  ++events_;
}

void TimelineBuilder::add_round(std::uint32_t name, const std::vector<RoundMember>& members,
                                std::optional<std::size_t> last) {
  for (const RoundMember& one : members) add(one.track, one.begin_ns, one.duration_ns, name);
  if (!last) return;
  const RoundMember& late = members[*last];
  for (const RoundMember& one : members) {
    if (one.begin_ns < late.begin_ns) waits_.push_back({one, late, name});
  }
}

void TimelineBuilder::shift(std::uint32_t first, std::uint32_t end, std::int64_t by_ns) {
  for (std::uint32_t i = first; i < end; ++i) {
    for (Raw& event : tracks_[i].events) event.begin_ns += by_ns;
  }
  for (RawWait& wait : waits_) {
    for (RoundMember* const one : {&wait.waiting, &wait.last})
      one->begin_ns += one->track >= first && one->track < end ? by_ns : 0;
  }
}

std::optional<std::int64_t> TimelineBuilder::earliest_ns(std::uint32_t first,
                                                         std::uint32_t end) const {
  std::optional<std::int64_t> earliest;
  for (std::uint32_t i = first; i < end; ++i) {
    for (const Raw& event : tracks_[i].events)
      earliest = std::min(earliest.value_or(event.begin_ns), event.begin_ns);
  }
  return earliest;
}

/// Returns the tracks with events in order; tracks without a rank come last.
std::vector<std::uint32_t> TimelineBuilder::order() const {
  std::vector<std::uint32_t> sorted;
  for (std::uint32_t i = 0; i < tracks(); ++i) {
    if (!tracks_[i].events.empty()) sorted.push_back(i);
  }
  std::ranges::stable_sort(sorted, {}, [this](std::uint32_t i) {
    const Track& head = tracks_[i].head;
    const Rank rank = head.rank == kNoRank ? std::numeric_limits<Rank>::max() : head.rank;
    return std::tuple(rank, head.kind, head.process, head.title);
  });
  return sorted;
}

void TimelineBuilder::add_waits(const std::vector<std::uint32_t>& place_of, std::int64_t origin_ns,
                                Timeline& made) const {
  const auto find = [&](const RoundMember& one, std::uint32_t name) {
    return find_event(made.tracks, place_of[one.track], one.begin_ns - origin_ns, name);
  };
  for (const RawWait& wait : waits_) {
    const auto waiting = find(wait.waiting, wait.name), last = find(wait.last, wait.name);
    if (waiting && last)
      made.waits.push_back({*waiting, *last, made.lane_of(*last).begin_ns[last->event]});
  }
  std::ranges::stable_sort(made.waits, {}, &Wait::end_ns);
}

Timeline TimelineBuilder::finish(std::optional<std::int64_t> origin) {
  Timeline made;
  const std::int64_t earliest = earliest_ns(0, tracks()).value_or(0);
  const std::int64_t origin_ns = origin.value_or(earliest);
  made.begin_ns = made.end_ns = earliest - origin_ns;
  std::vector<std::uint32_t> place_of(tracks_.size());
  std::uint64_t left_out = 0;
  for (const std::uint32_t from : order()) {
    place_of[from] = static_cast<std::uint32_t>(made.tracks.size());
    RawTrack raw = std::move(tracks_[from]);
    const auto by_time = [](const Raw& one) { return std::pair(one.begin_ns, -one.duration_ns); };
    if (!std::ranges::is_sorted(raw.events, {}, by_time))
      std::ranges::stable_sort(raw.events, {}, by_time);
    made.tracks.push_back(std::move(raw.head));
    left_out += fill_lanes(raw.events, origin_ns, made.tracks.back().lanes);
    for (const Lane& lane : made.tracks.back().lanes)
      made.end_ns = std::max(made.end_ns, lane.end_ns(lane.size() - 1));
  }
  made.names = std::move(names_);
  made.events = events_ - left_out;
  made.steps = steps_of(made.names);
  add_waits(place_of, origin_ns, made);
  if (left_out > 0) {
    made.notices.push_back(std::to_string(left_out) + " events that overlap more than " +
                           std::to_string(kMostLanes) + " others are left out.");
  }
  *this = {};
  return made;
}

}  // namespace ringside::model
