#include "gui/session/baseline_offers.h"

#include "gui/launch/baselines.h"
#include "gui/runs/run_figures.h"
#include "gui/view/number_format.h"

namespace ringside::session {
namespace {

constexpr std::size_t kMostOffers = 8;

/// A quick check that excludes most runs, since the full comparison is slow for thousands of them.
bool alike(const messages::RunSpec& a, const messages::RunSpec& b) {
  return a.model.name == b.model.name && a.data.name == b.data.name &&
         a.train.epochs == b.train.epochs && a.program.argv == b.program.argv;
}

bool can_compare(const messages::RunSpec& spec, const runs::RunSummary& run) {
  if (run.state.word != "finished" || run.ranks >= spec.devices.world_size) return false;
  return alike(spec, run.spec) &&
         launch::not_comparable(spec, {run.folder.id(), run.spec, true}).empty();
}

view::BaselineOffer offer_of(const runs::RunSummary& run) {
  return {run.folder.id(), runs::label_of(run) + ", " + view::plural(run.ranks, "rank", "ranks") +
                               ", " + view::clock_text(run.figures.train_seconds)};
}

}  // namespace

BaselineOffers baseline_offers(const RunId& open, const messages::RunSpec& spec,
                               const std::vector<runs::RunSummary>& runs) {
  BaselineOffers offers;
  for (const runs::RunSummary& run : runs) {
    if (run.folder.id() == open) continue;
    if (run.baseline == open && offers.baseline_of.empty())
      offers.baseline_of = runs::label_of(run);
    if (offers.runs.size() < kMostOffers && can_compare(spec, run))
      offers.runs.push_back(offer_of(run));
  }
  return offers;
}

}  // namespace ringside::session
