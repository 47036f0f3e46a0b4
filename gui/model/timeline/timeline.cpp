#include "gui/model/timeline/timeline.h"

#include <algorithm>
#include <set>

namespace ringside::model {

void Lane::add(std::int64_t begin, std::int64_t duration, std::uint32_t event_name) {
  begin_ns.push_back(begin);
  busy_ns.push_back(busy_ns.back() + duration);
  name.push_back(event_name);
}

std::vector<Rank> Timeline::ranks() const {
  std::set<Rank> ranks;
  for (const Track& track : tracks) {
    if (track.rank != kNoRank) ranks.insert(track.rank);
  }
  return {ranks.begin(), ranks.end()};
}

std::size_t first_ending_after(const Lane& lane, std::int64_t at_ns) {
  const auto next = std::upper_bound(lane.begin_ns.begin(), lane.begin_ns.end(), at_ns);
  const auto place = static_cast<std::size_t>(next - lane.begin_ns.begin());
  return place > 0 && lane.end_ns(place - 1) > at_ns ? place - 1 : place;
}

std::size_t first_beginning_at(const Lane& lane, std::size_t from, std::int64_t at_ns) {
  std::size_t low = from, step = 1;
  while (low + step < lane.size() && lane.begin_ns[low + step] < at_ns) {
    low += step;
    step *= 2;
  }
  const auto begin = lane.begin_ns.begin();
  const auto last = begin + static_cast<std::ptrdiff_t>(std::min(low + step + 1, lane.size()));
  return static_cast<std::size_t>(
      std::lower_bound(begin + static_cast<std::ptrdiff_t>(low), last, at_ns) - begin);
}

}  // namespace ringside::model
