#include "gui/view/live/event_strip.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "gui/analysis/step_parts.h"
#include "gui/model/run_model.h"
#include "gui/runs/shown_state.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/live/log_view.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

constexpr double kNamedShare = 0.1;  // share of a step
static_assert(runs::kFileDelayS == 90, "the hint of rank_silent says so");

/// Describes a silent agent; on another machine, only since when that cannot be reached.
std::string silence_text(const RunContext& context) {
  if (context.machine.empty()) return label::kAgentSilent;
  std::string since;
  if (context.cut_wall_ns != 0)
    since = " since " + wall_clock_text(context.cut_wall_ns).substr(0, 8);
  return label::kMachineSilent + context.machine + since +
         "; the run may well go on there. The data ends at step ";
}

/// A sentence if the agent cannot be reached; nothing if it can.
std::optional<EventView> contact_event(const model::RunModel& model, const RunContext& context) {
  const bool lost = context.contact == Contact::kLost;
  if (!lost && context.contact != Contact::kInterrupted) return std::nullopt;
  EventView event;
  event.at_ns = model.last_ns();
  event.tone = Tone::kWarning;
  event.shape = Shape::kWarningTriangle;
  event.main = {{lost ? silence_text(context) : label::kAgentGone},
                {step_text(model.newest_common_step(), messages::first_step_number(model.spec())),
                 Style::kStrongNumber},
                {"."}};
  return event;
}

/// An event which says that not all of the run is shown.
EventView unreadable_event(const RunContext& context) {
  EventView event;
  event.at_ns = std::max<std::int64_t>(0, context.now_ns);
  event.tone = Tone::kError;
  event.shape = Shape::kCross;
  event.main = {{label::kUnreadable, Style::kStrong}, {": " + context.unreadable}};
  return event;
}

Sentence no_warnings(const model::RunModel& model) {
  if (messages::is_watched(model.spec())) {
    return {{"No warnings. The newest step is "},
            {step_text(model.newest_common_step(), 0), Style::kStrongNumber},
            {"."}};
  }
  return {{"No warnings. "},
          {count_text(model.newest_common_step() + 1), Style::kStrongNumber},
          {" steps done."}};
}

/// An event that names the part of a step in which most time is lost, similarly on all ranks: no
/// rank is the cause, and it is the best part to improve. Nothing is named below a tenth of a step.
EventView pace_event(const model::RunModel& model, const analysis::ArrivalClock& clock) {
  using analysis::Part;
  const auto mean = analysis::mean_of(analysis::recent_step_parts(model));
  const auto lost = [&](Part part) {
    return mean.known[static_cast<std::size_t>(part)] ? mean.mean_ns(part) : 0.0;
  };
  const std::array<std::pair<double, const char*>, 3> parts{
      {{lost(Part::kDataWait), "Every rank waits for data: "},
       {lost(Part::kWaitSlowest), "Ranks wait for each other, but no single rank is slow: "},
       {lost(Part::kAllReduce) + lost(Part::kCommunication), label::kNotOverlapped}}};
  const auto most = *std::max_element(parts.begin(), parts.end());
  EventView event;
  if (most.first >= kNamedShare * mean.mean_step_ns()) {
    event.tone = Tone::kInfo;
    event.shape = Shape::kRing;
    event.main = {{most.second, Style::kWords},
                  {ms_text(most.first), Style::kStrongNumber},
                  {" of "},
                  {ms_text(mean.mean_step_ns()), Style::kStrongNumber},
                  {" per step."}};
    return event;
  }
  event.tone = Tone::kOk;
  event.shape = Shape::kTick;
  if (!clock.clocks_known) {
    event.main = no_warnings(model);
    return event;
  }
  // Waits that are shorter than the uncertainty of the clocks were not counted.
  auto longest = static_cast<double>(clock.uncertainty_ns);
  for (const auto& rank : clock.ranks) longest = std::max(longest, rank.mean_wait_ns);
  event.main = {{"All ", Style::kWords},
                {count_text(model.world_size()), Style::kStrongNumber},
                {" ranks keep pace: no rank waits more than "},
                {ms_text(longest), Style::kStrongNumber},
                {" per step for the slowest."}};
  return event;
}

/// The event if nothing is wrong: how close the ranks are, or what is known so far.
EventView quiet_event(const model::RunModel& model, const RunContext& context) {
  EventView event;
  event.tone = Tone::kOk;
  event.shape = Shape::kTick;
  if (model.newest_common_step() < 0) {
    event.tone = Tone::kInfo;
    event.shape = Shape::kRing;
    std::string words = label::kWaitingForFirstStep;
    if (!context.queued.empty())
      words = "Queued " + context.queued + ". Stop removes it from the queue.";
    if (is_over(model, context)) words = label::kNoSteps;
    event.main.push_back({std::move(words), Style::kWords});
    return event;
  }
  const auto& clock = analysis::recent_arrivals(model);
  if (clock.compared == 0) {
    event.main = no_warnings(model);
    return event;
  }
  event = pace_event(model, clock);
  if (!clock.clocks_known) {
    event.aside = {{"Clock offsets between the nodes are not known yet, so no straggler is named.",
                    Style::kDim}};
  } else if (clock.uncertainty_ns > 0) {
    event.aside = {{"Clock uncertainty ", Style::kDim},
                   {ms_text(static_cast<double>(clock.uncertainty_ns)), Style::kNumber},
                   {".", Style::kDim}};
  }
  return event;
}

/// The event if every alert was dismissed, which does not mean that all is well.
EventView put_away_event(std::size_t count) {
  EventView event;
  event.tone = Tone::kDim;
  event.shape = Shape::kDot;
  event.main = {{"Nothing new. ", Style::kWords},
                {plural(static_cast<std::int64_t>(count), "alert was", "alerts were"), Style::kDim},
                {" dismissed.", Style::kDim}};
  return event;
}

bool is_dismissed(const analysis::Alert& alert, const RunContext& context) {
  const auto& keys = context.dismissed;
  return !keys.empty() &&
         std::find(keys.begin(), keys.end(), analysis::key_of(alert)) != keys.end();
}

/// One moment, before equal ones are merged.
struct EventMoment {
  std::int64_t at_ns = 0;
  MomentView moment;
  bool alert = false;  ///< it is an active alert
};

Step step_at(const model::RunModel& model, const XScale& clock, std::int64_t at_ns) {
  const std::int64_t began = model.training_began_ns();
  if (clock.axis() != XAxis::kTime || began == 0 || at_ns < began) return -1;
  return std::min(static_cast<Step>(clock.step_at(at_ns)),
                  static_cast<Step>(model.steps_end()) - 1);
}

/// The time of day of a moment, with its date if that is not today.
std::string time_of_moment(const model::RunModel& model, std::int64_t at_ns,
                           std::int64_t today_wall_ns) {
  const auto offset = model.wall_offset_ns();
  if (!offset) return {};
  const std::int64_t wall_ns = at_ns + *offset;
  const std::string dated = date_time_text(wall_ns);
  const bool today =
      today_wall_ns == 0 || dated.substr(0, 10) == date_time_text(today_wall_ns).substr(0, 10);
  return today ? wall_clock_text(wall_ns) : dated;
}

EventMoment moment_of(const LogLine& line, const model::RunModel& model, const XScale& clock) {
  MomentView moment;
  moment.rank = line.rank;
  moment.text = line.text;
  moment.step = step_at(model, clock, line.at_ns);
  if (line.severity == messages::Severity::kWarning) {
    moment.tone = Tone::kWarning;
    moment.shape = Shape::kWarningTriangle;
  } else if (line.severity == messages::Severity::kError) {
    moment.tone = Tone::kError;
    moment.shape = Shape::kCross;
  } else {
    moment.tone = Tone::kDim;
    moment.shape = Shape::kDot;
  }
  return {line.at_ns, std::move(moment), false};
}

EventMoment moment_of(const EventView& event) {
  MomentView moment;
  moment.tone = event.dismissed ? Tone::kDim : event.tone;
  moment.shape = event.shape;
  moment.rank = event.rank;
  moment.step = event.step;
  moment.text = plain(event.main);
  return {event.at_ns, std::move(moment), !event.dismissed};
}

/// Merges moments with the same text in a row, also of several ranks, into one line with the time
/// and step of the newest.
void put_together(std::vector<EventMoment>& all) {
  std::vector<EventMoment> kept;
  std::int64_t times = 0;
  const auto close = [&] {
    if (times > 1) kept.back().moment.text += " (" + count_text(times) + " times)";
  };
  for (EventMoment& one : all) {
    const bool same = !kept.empty() && kept.back().moment.text == one.moment.text;
    if (same) {
      ++times;
      kept.back().alert = kept.back().alert || one.alert;
      if (kept.back().moment.rank != one.moment.rank) kept.back().moment.rank = kNoRank;
      continue;
    }
    close();
    times = 1;
    kept.push_back(std::move(one));
  }
  close();
  all = std::move(kept);
}

/// Lists all moments, newest first. An alert replaces the line from which it was derived.
void list_moments(const model::RunModel& model, std::int64_t today_wall_ns, EventStripView& strip) {
  std::vector<const EventView*> events{&strip.first};
  for (const EventView& event : strip.more) events.push_back(&event);
  std::erase_if(events, [](const EventView* event) { return event->at_ns < 0; });
  const XScale clock(model, XAxis::kTime);
  std::vector<EventMoment> all;
  for (const LogLine& line : event_lines(model)) {
    if (line.routine) continue;
    const bool told = line.severity != messages::Severity::kInfo &&
                      std::any_of(events.begin(), events.end(), [&line](const EventView* event) {
                        return event->at_ns == line.at_ns && event->rank == line.rank;
                      });
    if (!told) all.push_back(moment_of(line, model, clock));
  }
  for (const EventView* event : events) all.push_back(moment_of(*event));
  std::stable_sort(all.begin(), all.end(),
                   [](const EventMoment& a, const EventMoment& b) { return a.at_ns < b.at_ns; });
  std::reverse(all.begin(), all.end());
  put_together(all);
  if (!all.empty()) strip.count = plural(static_cast<std::int64_t>(all.size()), "event", "events");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= kMostMoments && !all[i].alert) continue;
    strip.moments.push_back(std::move(all[i].moment));
    strip.moments.back().time = time_of_moment(model, all[i].at_ns, today_wall_ns);
  }
}

}  // namespace

std::vector<analysis::Alert> alerts_of(const model::RunModel& model, const RunContext& context) {
  analysis::AlertLimits limits;
  limits.live = context.contact == Contact::kLive;
  limits.off = context.rules_off;
  limits.log_problem = context.log_problem;
  limits.log_late_s = runs::kFileDelayS;
  return analysis::alerts(model, known_until_ns(model, context), limits);
}

EventStripView build_event_strip(const model::RunModel& model, const RunContext& context,
                                 const BaselineContext& baseline) {
  const auto found = alerts_of(model, context);
  EventStripView strip;
  std::vector<EventView> shown;
  std::vector<EventView> away;
  if (!found.empty()) {
    const auto speedup = analysis::speedup(model, baseline.model, is_over(model, context));
    for (const auto& alert : found) {
      EventView event = event_view(alert, model, &speedup);
      event.at_ns = alert.at_ns;
      event.dismissed = is_dismissed(alert, context);
      (event.dismissed ? away : shown).push_back(std::move(event));
    }
  }
  strip.can_dismiss = !shown.empty();
  if (auto contact = contact_event(model, context)) {
    const auto below = std::find_if(shown.begin(), shown.end(), [](const EventView& event) {
      return event.tone != Tone::kError;
    });
    shown.insert(below, std::move(*contact));
  }
  if (!context.unreadable.empty()) shown.insert(shown.begin(), unreadable_event(context));
  if (shown.empty())
    shown.push_back(away.empty() ? quiet_event(model, context) : put_away_event(away.size()));
  strip.first = std::move(shown.front());
  strip.more.assign(std::make_move_iterator(shown.begin() + 1),
                    std::make_move_iterator(shown.end()));
  std::move(away.begin(), away.end(), std::back_inserter(strip.more));
  strip.can_show = strip.first.step >= 0;
  list_moments(model, context.today_wall_ns, strip);
  return strip;
}

}  // namespace ringside::view
