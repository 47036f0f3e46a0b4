// What is said of a timeline in words and colours: the ink of an event, the hint under the mouse,
// the facts of the selected one, and how much there is of everything. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/view/table.h"
#include "gui/view/timeline/timeline_view.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Parts of a step and exchange as in the step breakdown; other work is quiet, told apart by shade.
/// Several events in one pixel are of one shade.
TimelineInk ink_of(const model::EventName& name, model::TrackKind kind, bool several);

/// "aten::mm, 1.234 ms", "143 events, 62 % busy", with where and when; empty over nothing.
std::string timeline_hint(const model::Timeline& timeline, const TimelineHit& hit,
                          const TimelineWindow& window);

/// The selected event: what it is, when, how long, and who waited for whom.
std::vector<Fact> event_facts(const model::Timeline& timeline, const model::EventPlace& place);

/// The same for a whole timeline, for people and scripts: a row for each track.
Table tracks_table(const model::Timeline& timeline);

/// "2 ranks, 14 tracks, 1,204,332 events, 3 steps, 1.234 s"
std::string timeline_size_text(const model::Timeline& timeline);

/// Why nothing is shown and what to do. `problem` empty: nothing was opened yet.
Sentence no_timeline(const std::string& problem, bool has_run);
/// What mouse and keys do, where no event is selected.
Sentence timeline_keys();

namespace label {
inline constexpr const char* kOpenTrace = "Open a trace…";
inline constexpr const char* kProfileSteps = "Profile 3 steps";
inline constexpr const char* kFitTimeline = "Fit";
}  // namespace label

}  // namespace ringside::view
