// Texts and colours of a timeline: colour of an event, hint under the mouse, facts of the selected
// event, and amount of data. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/view/table.h"
#include "gui/view/timeline/timeline_view.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Returns the colour of an event: parts of a step and communication as in the step breakdown,
/// other work in muted shades. Several events in one pixel have one shade.
TimelineInk ink_of(const model::EventName& name, model::TrackKind kind, bool several);

/// Returns "aten::mm, 1.234 ms" or "143 events, 62 % busy" with track and time; empty if nothing is
/// hit.
std::string timeline_hint(const model::Timeline& timeline, const TimelineHit& hit,
                          const TimelineWindow& window);

/// Returns the facts of an event: name, track, time, duration, and which rank waited for which.
std::vector<Fact> event_facts(const model::Timeline& timeline, const model::EventPlace& place);

/// Returns a row for each track, for people and scripts.
Table tracks_table(const model::Timeline& timeline);

/// Example: "2 ranks, 14 tracks, 1,204,332 events, 3 steps, 1.234 s"
std::string timeline_size_text(const model::Timeline& timeline);

/// Returns why nothing is shown and what to do. `problem` empty: no timeline was opened yet.
Sentence no_timeline(const std::string& problem, bool has_run);
/// Returns the help on mouse and keys that is shown while no event is selected.
Sentence timeline_keys();

namespace label {
inline constexpr const char* kOpenTrace = "Open a trace…";
inline constexpr const char* kProfileSteps = "Profile 3 steps";
inline constexpr const char* kFitTimeline = "Fit";
}  // namespace label

}  // namespace ringside::view
