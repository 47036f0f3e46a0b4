#include "gui/view/event_strip.h"

#include <algorithm>
#include <utility>

#include "gui/view/log_view.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"
#include "gui/view/x_scale.h"

namespace ringside::view {
namespace {

/// When nothing is wrong: how close the ranks are, or what is known so far.
EventView quiet_event(const model::RunModel& model, const RunContext& context) {
  EventView event;
  if (context.contact == Contact::kLost || context.contact == Contact::kInterrupted) {
    const bool lost = context.contact == Contact::kLost;
    event.tone = Tone::kWarning;
    event.shape = Shape::kWarningTriangle;
    event.main = {{lost ? "The agent lives but does not answer: what is shown is what was heard "
                          "last, at step "
                        : "The agent is gone: the log ends without an end of the run, at step "},
                  {count_text(model.newest_common_step() + 1), Style::kStrongNumber},
                  {"."}};
    return event;
  }
  event.tone = Tone::kOk;
  event.shape = Shape::kTick;
  if (model.newest_common_step() < 0) {
    event.tone = Tone::kInfo;
    event.shape = Shape::kRing;
    std::string words = "Waiting for the first step of every rank.";
    if (!context.queued.empty())
      words = "Queued " + context.queued + ". Stop takes it off the queue.";
    if (is_over(model, context)) words = "This run has no steps.";
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
  double longest = 0;
  for (const auto& rank : clock.ranks) longest = std::max(longest, rank.mean_wait_ns);
  event.main = {{"All ", Style::kWords},
                {count_text(model.world_size()), Style::kStrongNumber},
                {" ranks keep pace: no rank waits more than "},
                {ms_text(longest), Style::kStrongNumber},
                {" per step for the slowest."}};
  if (!clock.clocks_known) {
    event.aside = {{"The nodes' clocks are not compared yet, so no rank is named.", Style::kDim}};
  } else if (clock.uncertainty_ns > 0) {
    event.aside = {{"Clock uncertainty ", Style::kDim},
                   {ms_text(static_cast<double>(clock.uncertainty_ns)), Style::kNumber},
                   {".", Style::kDim}};
  }
  return event;
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

EventStripView build_event_strip(const model::RunModel& model, const RunContext& context,
                                 const BaselineContext& baseline) {
  analysis::AlertLimits limits;
  limits.live = context.contact == Contact::kLive;
  const auto found = analysis::alerts(model, context.now_ns, limits);
  EventStripView strip;
  strip.moments = moments_of(model);
  if (!strip.moments.empty()) strip.count = "Events";
  if (found.empty()) {
    strip.first = quiet_event(model, context);
    return strip;
  }
  const auto speedup = analysis::speedup(model, baseline.model, is_over(model, context));
  for (const auto& alert : found) {
    EventView event = event_view(alert, model, &speedup);
    if (&alert == &found.front()) {
      strip.first = std::move(event);
    } else {
      strip.more.push_back(std::move(event));
    }
  }
  if (!found.empty())
    strip.count = plural(static_cast<std::int64_t>(found.size()), "event", "events");
  strip.can_show = strip.first.step >= 0;
  return strip;
}

}  // namespace ringside::view
