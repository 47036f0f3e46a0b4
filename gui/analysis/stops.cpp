#include "gui/analysis/stops.h"

#include <algorithm>

#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

/// End of the step on the slowest rank; 0: not known.
std::int64_t step_end_ns(const model::RunModel& model, Step step) {
  std::int64_t latest = 0;
  for (const Rank rank : model.ranks()) {
    if (step < 0) break;
    const std::int64_t at = model.rank(rank)->end_ns.at(static_cast<std::size_t>(step));
    if (!model::is_absent(at)) latest = std::max(latest, at);
  }
  return latest;
}

}  // namespace

std::vector<Stop> stops(const model::RunModel& model) {
  std::vector<Stop> found;
  const auto attempts = model.attempts();
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    Stop stop{0, attempts[i].at_ns};
    for (const model::StateChange& change : model.run_states()) {
      if (change.at_ns <= attempts[i - 1].at_ns || change.at_ns > attempts[i].at_ns) continue;
      if (messages::is_final(change.state.state)) stop.begin_ns = change.at_ns;
      if (change.state.state == messages::State::kStarting) stop.end_ns = change.at_ns;
    }
    if (stop.begin_ns == 0) stop.begin_ns = step_end_ns(model, attempts[i].first_step - 1);
    if (stop.begin_ns > 0 && stop.end_ns > stop.begin_ns) found.push_back(stop);
  }
  return found;
}

double stopped_s(const model::RunModel& model) {
  double total = 0;
  for (const Stop& stop : stops(model))
    total += static_cast<double>(stop.end_ns - stop.begin_ns) / 1e9;
  return total;
}

}  // namespace ringside::analysis
