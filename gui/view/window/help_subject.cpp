#include "gui/view/window/help_subject.h"

#include <array>
#include <utility>

namespace ringside::view {
namespace {

HelpSubject subject_of_launch(const LaunchInput& launch) {
  if (launch.slurm != nullptr && launch.slurm->on()) return HelpSubject::kSlurm;
  return launch.script != nullptr ? HelpSubject::kScript : HelpSubject::kLaunch;
}

HelpSubject subject_of_page(const ScreenInput& input) {
  switch (input.page) {
    case Page::kLaunch:
      return subject_of_launch(input.launch);
    case Page::kLive:
      return HelpSubject::kLive;
    case Page::kScaling:
      return HelpSubject::kScaling;
    case Page::kSampler:
      return HelpSubject::kSampler;
    case Page::kTimeline:
      return HelpSubject::kTimeline;
    case Page::kMachines:
      return HelpSubject::kBoard;
    case Page::kRuns:
      break;
  }
  return input.runs.choice.marked.size() > 1 ? HelpSubject::kCompare : HelpSubject::kRuns;
}

}  // namespace

HelpSubject help_subject(const ScreenInput& input) {
  const Sheets& sheets = input.sheets;
  const std::array<std::pair<bool, HelpSubject>, 14> open{
      {{input.chooser.open, HelpSubject::kChooser},
       {sheets.stop, HelpSubject::kStop},
       {input.exporting.asking, HelpSubject::kExport},
       {input.scaling.asking, HelpSubject::kStudy},
       {sheets.keys, HelpSubject::kKeys},
       {sheets.machines, HelpSubject::kMachines},
       {sheets.alerts, HelpSubject::kAlerts},
       {sheets.doctor, HelpSubject::kDoctor},
       {input.stack.open, HelpSubject::kStack},
       {sheets.settings, HelpSubject::kSettings},
       {sheets.open, HelpSubject::kOpenRun},
       {sheets.waterfall, HelpSubject::kWaterfall},
       {sheets.tries, HelpSubject::kTries},
       {sheets.experiment, HelpSubject::kExperiment}}};
  for (const auto& [is_open, subject] : open) {
    if (is_open) return subject;
  }
  return subject_of_page(input);
}

}  // namespace ringside::view
