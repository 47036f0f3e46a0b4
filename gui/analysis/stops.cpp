#include "gui/analysis/stops.h"

#include <algorithm>

#include "gui/model/run_events.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {

std::vector<Stop> stops(const model::RunModel& model) {
  std::vector<Stop> found;
  const model::StateChange* begun = nullptr;  // the current or last attempt
  std::int64_t over_ns = 0;
  for (const model::StateChange& change : model.run_states()) {
    const bool starts = change.state.state == messages::State::kStarting;
    // An attempt that fails and will be restarted ends with the state "starting".
    const bool fails = starts && begun != nullptr && change.state.attempt == begun->state.attempt;
    if (over_ns == 0 && (fails || messages::is_final(change.state.state))) {
      over_ns = change.at_ns;
    } else if (starts) {
      const bool killed = over_ns == 0 && begun != nullptr && change.last_record_ns > begun->at_ns;
      if (killed) over_ns = change.last_record_ns;
      if (over_ns > 0 && change.at_ns > over_ns) found.push_back({over_ns, change.at_ns});
      over_ns = 0;
      begun = &change;
    }
  }
  // A further attempt that waits in a queue has not begun.
  const auto states = model.run_states();
  if (begun == nullptr || states.back().state.state != messages::State::kQueued) return found;
  if (over_ns == 0) over_ns = std::max(begun->at_ns, states.back().last_record_ns);
  if (model.last_ns() > over_ns) found.push_back({over_ns, model.last_ns()});
  return found;
}

double stopped_s(const model::RunModel& model) {
  double total = 0;
  for (const Stop& stop : stops(model))
    total += static_cast<double>(stop.end_ns - stop.begin_ns) / 1e9;
  return total;
}

}  // namespace ringside::analysis
