#include "gui/view/live/event_strip.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "gui/analysis/step_parts.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/live/log_view.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"

namespace ringside::view {
namespace {

constexpr double kNamedShare = 0.1;  // of a step

/// That the agent cannot be heard.
std::optional<EventView> contact_event(const model::RunModel& model, const RunContext& context) {
  const bool lost = context.contact == Contact::kLost;
  if (!lost && context.contact != Contact::kInterrupted) return std::nullopt;
  EventView event;
  event.tone = Tone::kWarning;
  event.shape = Shape::kWarningTriangle;
  event.main = {{lost ? label::kAgentSilent : label::kAgentGone},
                {count_text(model.newest_common_step() + 1), Style::kStrongNumber},
                {"."}};
  return event;
}

/// That what is shown is not all there is.
EventView unreadable_event(const RunContext& context) {
  EventView event;
  event.tone = Tone::kError;
  event.shape = Shape::kCross;
  event.main = {{label::kUnreadable, Style::kStrong}, {": " + context.unreadable}};
  return event;
}

/// What part of a step is lost the most, on all ranks alike; nobody's fault, and the first thing to
/// win. Below a tenth of a step nothing is named.
EventView pace_event(const model::RunModel& model, const analysis::ArrivalClock& clock) {
  using analysis::Part;
  const auto ranks = analysis::step_parts(model, analysis::recent_steps(model));
  const auto mean = analysis::mean_of(ranks);
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
  double longest = 0;
  for (const auto& rank : clock.ranks) longest = std::max(longest, rank.mean_wait_ns);
  event.tone = Tone::kOk;
  event.shape = Shape::kTick;
  event.main = {{"All ", Style::kWords},
                {count_text(model.world_size()), Style::kStrongNumber},
                {" ranks keep pace: no rank waits more than "},
                {ms_text(longest), Style::kStrongNumber},
                {" per step for the slowest."}};
  return event;
}

/// When nothing is wrong: how close the ranks are, or what is known so far.
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
  const auto clock = analysis::arrival_clock(model, analysis::recent_steps(model));
  if (clock.compared == 0) {
    event.main = {{"No warnings. "},
                  {count_text(model.newest_common_step() + 1), Style::kStrongNumber},
                  {" steps done."}};
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

/// Every alert was dismissed: that is not to say that all is well.
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

MomentView moment_of(const LogLine& line, const model::RunModel& model, const XScale& clock) {
  MomentView moment;
  moment.time = line.time;
  moment.rank = line.rank;
  moment.text = line.text;
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
  const std::int64_t began = model.training_began_ns();
  if (clock.axis() != XAxis::kTime || began == 0 || line.at_ns < began) return moment;
  const double step = clock.step_of(static_cast<double>(line.at_ns - began) / 1e9);
  const auto newest = static_cast<Step>(model.steps_end()) - 1;
  moment.step = std::min(static_cast<Step>(step), newest);
  return moment;
}

std::vector<MomentView> moments_of(const model::RunModel& model) {
  const std::vector<LogLine> lines = event_lines(model);
  const XScale clock(model, XAxis::kTime);
  std::vector<MomentView> moments;
  for (auto line = lines.rbegin(); line != lines.rend() && moments.size() < kMostMoments; ++line)
    moments.push_back(moment_of(*line, model, clock));
  return moments;
}

}  // namespace

std::vector<analysis::Alert> alerts_of(const model::RunModel& model, const RunContext& context) {
  analysis::AlertLimits limits;
  limits.live = context.contact == Contact::kLive;
  limits.off = context.rules_off;
  limits.log_problem = context.log_problem;
  return analysis::alerts(model, context.now_ns, limits);
}

EventStripView build_event_strip(const model::RunModel& model, const RunContext& context,
                                 const BaselineContext& baseline) {
  const auto found = alerts_of(model, context);
  EventStripView strip;
  strip.moments = moments_of(model);
  if (!strip.moments.empty()) strip.count = "Events";
  std::vector<EventView> shown;
  std::vector<EventView> away;
  if (!found.empty()) {
    const auto speedup = analysis::speedup(model, baseline.model, is_over(model, context));
    for (const auto& alert : found) {
      EventView event = event_view(alert, model, &speedup);
      event.dismissed = is_dismissed(alert, context);
      (event.dismissed ? away : shown).push_back(std::move(event));
    }
    strip.count = plural(static_cast<std::int64_t>(found.size()), "event", "events");
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
  return strip;
}

}  // namespace ringside::view
