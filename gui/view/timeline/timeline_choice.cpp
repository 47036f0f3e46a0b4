#include "gui/view/timeline/timeline_choice.h"

#include <algorithm>
#include <cmath>

namespace ringside::view {
namespace {

constexpr double kLeastNs = 100;  // shortest time that the whole width can show

void show(const model::Timeline& timeline, double begin, double span, TimelineChoice& choice) {
  const auto whole = shown_span(timeline, {});
  const auto low = static_cast<double>(whole.begin_ns), high = static_cast<double>(whole.end_ns);
  if (span >= high - low) {
    choice.begin_ns = choice.end_ns = 0;
    return;
  }
  span = std::max(span, kLeastNs);
  begin = std::clamp(begin, low, std::max(low, high - span));
  choice.begin_ns = static_cast<std::int64_t>(std::floor(begin));
  choice.end_ns = static_cast<std::int64_t>(std::ceil(begin + span));
}

}  // namespace

TimelineSpan shown_span(const model::Timeline& timeline, const TimelineChoice& choice) {
  if (choice.end_ns > choice.begin_ns) return {choice.begin_ns, choice.end_ns};
  const std::int64_t room = (timeline.end_ns - timeline.begin_ns) / 100 + 1;
  return {timeline.begin_ns - room, timeline.end_ns + room};
}

void zoom(const model::Timeline& timeline, double factor, double at, TimelineChoice& choice) {
  const TimelineSpan now = shown_span(timeline, choice);
  const auto span = static_cast<double>(now.end_ns - now.begin_ns);
  const double wanted = std::max(span * factor, kLeastNs);
  show(timeline, static_cast<double>(now.begin_ns) + (span - wanted) * at, wanted, choice);
}

void move_by(const model::Timeline& timeline, double share, TimelineChoice& choice) {
  const TimelineSpan now = shown_span(timeline, choice);
  const auto span = static_cast<double>(now.end_ns - now.begin_ns);
  show(timeline, static_cast<double>(now.begin_ns) + share * span, span, choice);
}

void fit(const model::Timeline& timeline, TimelineChoice& choice) {
  const TimelineChoice before = choice;
  choice.begin_ns = choice.end_ns = 0;
  if (!choice.selected) return;
  const model::Lane& lane = timeline.lane_of(*choice.selected);
  const auto begin = static_cast<double>(lane.begin_ns[choice.selected->event]);
  const auto took = static_cast<double>(lane.duration_ns(choice.selected->event));
  const double span = std::max(took * 1.25, kLeastNs);
  show(timeline, begin + (took - span) / 2, span, choice);
  if (choice == before) choice.begin_ns = choice.end_ns = 0;
}

void show_event(const model::Timeline& timeline, const model::EventPlace& place,
                TimelineChoice& choice) {
  choice.selected = place;
  if (place.lane > 0) choice.folded.erase(place.track);
  const model::Lane& lane = timeline.lane_of(place);
  const TimelineSpan now = shown_span(timeline, choice);
  const std::int64_t begin_ns = lane.begin_ns[place.event];
  if (begin_ns >= now.begin_ns && lane.end_ns(place.event) <= now.end_ns) return;
  const auto span = static_cast<double>(now.end_ns - now.begin_ns);
  show(timeline, static_cast<double>(begin_ns) - span / 2, span, choice);
}

}  // namespace ringside::view
