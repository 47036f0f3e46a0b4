// The runs that the open one can be compared with, and the one that it is the baseline of. A pure
// function of the list of runs.
#pragma once

#include <string>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/view/run_context.h"

namespace ringside::session {

struct BaselineOffers {
  std::vector<view::BaselineOffer> runs;  ///< newest first, a few
  std::string baseline_of;                ///< "#12"; empty: no run that is known has it
  bool operator==(const BaselineOffers&) const = default;
};

/// `open`: its id. Offered are finished runs of the same work on fewer ranks. `runs`: newest first.
BaselineOffers baseline_offers(const RunId& open, const messages::RunSpec& spec,
                               const std::vector<runs::RunSummary>& runs);

}  // namespace ringside::session
