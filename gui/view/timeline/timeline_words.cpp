#include "gui/view/timeline/timeline_words.h"

#include <algorithm>
#include <functional>

#include "gui/analysis/step_parts.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using model::EventPlace;
using model::Timeline;
using model::TrackKind;

bool is_exchange(const std::string& name) {
  return name.starts_with("nccl") || name.starts_with("gloo:") || name.starts_with("c10d::");
}

std::optional<analysis::Part> part_named(std::string_view name) {
  for (std::size_t i = 0; i < analysis::kParts; ++i) {
    const auto part = static_cast<analysis::Part>(i);
    if (analysis::name_of(part) == name) return part;
  }
  return std::nullopt;
}

std::string track_text(const model::Track& track) {
  std::string text = track.rank == kNoRank ? track.process : rank_name(track.rank);
  return track.title.empty() ? text : text + ", " + track.title;
}

const char* kind_word(TrackKind kind) {
  switch (kind) {
    case TrackKind::kSteps:
      return "steps";
    case TrackKind::kCollectives:
      return "collectives";
    case TrackKind::kGpu:
      return "gpu";
    case TrackKind::kThread:
      break;
  }
  return "thread";
}

Fact event_fact(const char* label, std::string text, Tone tone = Tone::kText) {
  return {label, {{std::move(text), Style::kNumber}}, tone};
}

/// Adds which ranks the event waited for, or how long others waited for it.
void add_wait_facts(const Timeline& timeline, const EventPlace& place, std::vector<Fact>& facts) {
  std::int64_t longest_ns = 0, ranks = 0;
  for (const model::Wait& wait : timeline.waits) {
    const std::int64_t waited_ns =
        wait.end_ns - timeline.lane_of(wait.waiting).begin_ns[wait.waiting.event];
    if (wait.waiting == place) {
      facts.push_back(event_fact("Waited",
                                 span_text(static_cast<double>(waited_ns)) + " for " +
                                     rank_name(timeline.tracks[wait.last.track].rank),
                                 Tone::kWarning));
    }
    if (!(wait.last == place)) continue;
    longest_ns = std::max(longest_ns, waited_ns);
    ++ranks;
  }
  if (ranks > 0) {
    facts.push_back(event_fact("Came last",
                               plural(ranks, "rank", "ranks") + " waited, up to " +
                                   span_text(static_cast<double>(longest_ns)),
                               Tone::kWarning));
  }
}

}  // namespace

TimelineInk ink_of(const model::EventName& name, TrackKind kind, bool several) {
  if (name.category == "step") {
    const auto part = part_named(name.text);
    return part ? TimelineInk{token_of(paint_of(*part)), 1} : TimelineInk{Token::kSmallBar, 0.45F};
  }
  if (kind == TrackKind::kCollectives || is_exchange(name.text)) return {Token::kAllReduce, 1};
  const Token token = kind == TrackKind::kGpu ? Token::kBackward : Token::kSmallBar;
  if (several) return {token, 0.8F};
  const auto shade = static_cast<float>(std::hash<std::string>()(name.text) % 4);
  return {token, 0.55F + 0.15F * shade};
}

std::string timeline_hint(const Timeline& timeline, const TimelineHit& hit,
                          const TimelineWindow& window) {
  if (hit.box == nullptr) return {};
  const model::Track& track = timeline.tracks[hit.lane->track];
  const model::Lane& lane = track.lanes[hit.lane->lane];
  const std::string where = "\n" + track_text(track) + ", at " +
                            span_text(static_cast<double>(lane.begin_ns[hit.box->first]));
  if (hit.box->events == 1) {
    return timeline.names[hit.box->name].text + ", " +
           span_text(static_cast<double>(lane.duration_ns(hit.box->first))) + where;
  }
  const std::size_t first = hit.box->first;
  const double busy =
      static_cast<double>(lane.busy_ns[first + hit.box->events] - lane.busy_ns[first]);
  const double all = static_cast<double>(hit.box->end - hit.box->begin) * window.ns_per_pixel();
  return plural(hit.box->events, "event", "events") + ", " +
         percent_text(std::min(1.0, busy / std::max(1.0, all))) + " busy" + where;
}

std::vector<Fact> event_facts(const Timeline& timeline, const EventPlace& place) {
  const model::Track& track = timeline.tracks[place.track];
  const model::Lane& lane = timeline.lane_of(place);
  const model::EventName& name = timeline.name_of(place);
  std::vector<Fact> facts{
      event_fact("Name", name.text, Tone::kHigh), event_fact("Where", track_text(track)),
      event_fact("Begins", span_text(static_cast<double>(lane.begin_ns[place.event]))),
      event_fact("Takes", span_text(static_cast<double>(lane.duration_ns(place.event)))),
      event_fact("Of this name",
                 plural(static_cast<std::int64_t>(name.events), "event", "events"))};
  if (!name.category.empty()) facts.push_back(event_fact("Kind", name.category));
  add_wait_facts(timeline, place, facts);
  return facts;
}

Table tracks_table(const Timeline& timeline) {
  Table table{"tracks", "Tracks"};
  for (const model::Track& track : timeline.tracks) {
    std::int64_t events = 0, busy_ns = 0;
    for (const model::Lane& lane : track.lanes) events += static_cast<std::int64_t>(lane.size());
    if (!track.lanes.empty()) busy_ns = track.lanes.front().busy_ns.back();
    const auto busy = static_cast<double>(busy_ns);
    add_entries(table, {{number_column("rank", "Rank"),
                         track.rank == kNoRank ? unknown_cell() : count_cell(track.rank)},
                        {{"process", "Process"}, word_cell(track.process)},
                        {{"track", "Track"}, word_cell(track.title)},
                        {{"kind", "Kind"}, text_cell(kind_word(track.kind))},
                        {number_column("events", "Events"), count_cell(events)},
                        {number_column("busy_ms", "Busy", "ms"),
                         number_cell(busy / 1e6, [](double v) { return decimal_text(v, 1); })}});
  }
  return table;
}

Sentence no_timeline(const std::string& problem, bool has_run) {
  if (!problem.empty()) return {{problem, Style::kStrong}};
  if (has_run) return {{"The run has not reported a step yet."}};
  return {
      {"No timeline yet. Open a run: its recorded steps are shown without a profiler. Or drop "
       "traces of PyTorch's profiler, Perfetto or Chrome on the window; several are several "
       "ranks."}};
}

Sentence timeline_keys() {
  return {{"Click an event to read about it. Wheel or "},
          {"W S", Style::kStrong},
          {" zoom, drag or "},
          {"A D", Style::kStrong},
          {" move, "},
          {"F", Style::kStrong},
          {" fits, "},
          {"Ctrl F", Style::kStrong},
          {" searches. Arrows lead from the rank that came last to a collective to those that "
           "waited for it."}};
}

std::string timeline_size_text(const Timeline& timeline) {
  const auto ranks = static_cast<std::int64_t>(timeline.ranks().size());
  std::string text = ranks > 0 ? plural(ranks, "rank", "ranks") + ", " : "";
  text += plural(static_cast<std::int64_t>(timeline.tracks.size()), "track", "tracks") + ", " +
          plural(static_cast<std::int64_t>(timeline.events), "event", "events");
  if (timeline.steps > 0) text += ", " + plural(timeline.steps, "step", "steps");
  return text + ", " + span_text(static_cast<double>(timeline.end_ns - timeline.begin_ns));
}

}  // namespace ringside::view
