#include "gui/view/report_run.h"

#include "gui/model/run_end.h"
#include "gui/model/run_model.h"

namespace ringside::view {

bool has_ended(const ReportRun& run) { return model::has_ended(*run.model); }

analysis::Speedup speedup_of(const ReportRun& run) {
  return analysis::speedup(*run.model, run.baseline, has_ended(run));
}

bool has_speedup(const ReportRun& run) {
  return speedup_of(run).missing == analysis::NoSpeedup::kNone;
}

}  // namespace ringside::view
