#include "gui/session/trace/step_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "gui/analysis/arrivals.h"
#include "gui/analysis/groups/reported_groups.h"
#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/live/group_table.h"

namespace ringside::session {
namespace {

using analysis::StepRange;

/// `free_ns`: in: when the previous step ended; out: when this one ended.
void tell_step(const model::RunModel& model, const analysis::StepParts& parts, Step step,
               std::int64_t& free_ns, StepSink& sink) {
  auto span = analysis::time_of_step(*model.rank(parts.rank), step);
  if (!span) return;
  span->begin_ns = std::min(std::max(span->begin_ns, free_ns), span->end_ns);
  free_ns = span->end_ns;
  sink.span(parts.rank, fmt::format("step {}", step), *span, step);
  std::int64_t at_ns = span->begin_ns;
  for (std::size_t part = 0; part < analysis::kParts; ++part) {
    const std::int64_t end_ns = std::min(at_ns + parts.total_ns[part], span->end_ns);
    const auto kind = static_cast<analysis::Part>(part);
    if (end_ns > at_ns && kind != analysis::Part::kOther)
      sink.span(parts.rank, analysis::name_of(kind), {at_ns, end_ns}, step);
    at_ns = end_ns;
  }
}

/// Returns the member that arrived last by more than the clocks' uncertainty; nothing if that is
/// unclear.
std::optional<std::size_t> last_of(const std::vector<CollectiveMember>& members,
                                   const analysis::ArrivalClock& clock) {
  const auto entered = [](const CollectiveMember& one) { return one.span.begin_ns; };
  const auto last = std::ranges::max_element(members, {}, entered);
  if (members.size() < 2 || !clock.clocks_known) return std::nullopt;
  const bool sure = std::ranges::all_of(members, [&](const CollectiveMember& one) {
    return &one == &*last || last->span.begin_ns - one.span.begin_ns > clock.uncertainty_ns;
  });
  return sure ? std::optional(static_cast<std::size_t>(last - members.begin())) : std::nullopt;
}

CollectiveRound told(const model::GroupRound& round, const model::ProcessGroup& group,
                     std::string name, const analysis::ArrivalClock& clock) {
  CollectiveRound all{std::move(name), round.step, round.number, round.size_bytes, {}};
  std::int64_t last_ns = 0;
  for (const model::GroupArrival& one : round.arrivals) {
    if (one.came) last_ns = std::max(last_ns, one.entered_ns);
  }
  for (std::size_t i = 0; i < round.arrivals.size(); ++i) {
    const model::GroupArrival& one = round.arrivals[i];
    if (one.came)
      all.members.push_back(
          {group.ranks[i], {one.entered_ns, one.done_ns >= 0 ? one.done_ns : last_ns}});
  }
  if (!round.on_device) all.last = last_of(all.members, clock);
  return all;
}

}  // namespace

void emit_steps(const model::RunModel& model, StepRange steps, StepSink& sink) {
  for (const Rank rank : model.ranks())
    sink.rank(rank, fmt::format("rank {}, node {}", rank, model.rank(rank)->node));
  std::map<Rank, std::int64_t> free_ns;
  for (Step step = steps.begin; step < steps.end; ++step) {
    for (const auto& parts : analysis::step_parts(model, {step, step + 1})) {
      const auto before = free_ns.try_emplace(parts.rank, std::numeric_limits<std::int64_t>::min());
      tell_step(model, parts, step, before.first->second, sink);
    }
  }
  const analysis::ArrivalClock& clock = analysis::recent_arrivals(model);
  const model::GroupStore& store = analysis::reported_groups(model);
  for (const model::GroupRound& round : store.rounds()) {
    if (round.step < steps.begin || round.step >= steps.end) continue;
    const model::ProcessGroup& group = store.groups()[round.group];
    sink.round(told(
        round, group,
        fmt::format("{} of {}", messages::name_of(round.operation), view::group_name(model, group)),
        clock));
  }
}

}  // namespace ringside::session
