// Finds the runs that the open run can be compared with, and the run that has it as its baseline. A
// pure function of the list of runs.
#pragma once

#include <string>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/view/run_context.h"

namespace ringside::session {

struct BaselineOffers {
  std::vector<view::BaselineOffer> runs;  ///< newest first, a few
  std::string baseline_of;                ///< "#12"; empty: it is the baseline of no known run
  bool operator==(const BaselineOffers&) const = default;
};

/// Offers finished runs of the same work on fewer ranks. `open`: id of the open run; `runs`: newest
/// first.
BaselineOffers baseline_offers(const RunId& open, const messages::RunSpec& spec,
                               const std::vector<runs::RunSummary>& runs);

}  // namespace ringside::session
