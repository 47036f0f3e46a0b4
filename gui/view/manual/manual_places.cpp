#include "gui/view/manual/manual_places.h"

#include <array>
#include <cstddef>

#include "gui/view/window/screen_input.h"

namespace ringside::view {
namespace {

struct PlaceEntry {
  HelpSubject subject;
  const char* topic;
  const char* section;  ///< empty: the beginning
};

// The one table of them. A test opens every row.
constexpr std::array<PlaceEntry, static_cast<std::size_t>(HelpSubject::kCount)> kManualPlaces{{
    {HelpSubject::kLaunch, "window", "launch"},
    {HelpSubject::kLive, "window", "live"},
    {HelpSubject::kGroups, "scripts", "see-what-ranks-do-together"},
    {HelpSubject::kScaling, "window", "scaling"},
    {HelpSubject::kSampler, "window", "sampler"},
    {HelpSubject::kRuns, "window", "runs"},
    {HelpSubject::kScript, "scripts", ""},
    {HelpSubject::kSlurm, "slurm", ""},
    {HelpSubject::kStop, "runs", "stop-and-resume"},
    {HelpSubject::kSettings, "window", "arrange-the-panels"},
    {HelpSubject::kAlerts, "alerts", ""},
    {HelpSubject::kOpenRun, "window", "runs"},
    {HelpSubject::kDoctor, "doctor", ""},
    {HelpSubject::kWaterfall, "waterfall", ""},
    {HelpSubject::kExperiment, "experiments", ""},
    {HelpSubject::kMachines, "ssh", "choose-the-machine-in-the-window"},
    {HelpSubject::kExport, "exports", ""},
    {HelpSubject::kStudy, "studies", ""},
    {HelpSubject::kStack, "runs", "see-where-a-rank-hangs"},
    {HelpSubject::kKeys, "keys", ""},
}};

constexpr bool places_in_order() {
  for (std::size_t i = 0; i < kManualPlaces.size(); ++i) {
    if (kManualPlaces[i].subject != static_cast<HelpSubject>(i)) return false;
  }
  return true;
}
static_assert(places_in_order());

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
    case Page::kRuns:
      break;
  }
  return HelpSubject::kRuns;
}

}  // namespace

ManualPlace manual_place(HelpSubject subject) {
  const PlaceEntry& entry = kManualPlaces[static_cast<std::size_t>(subject)];
  return {entry.topic, entry.section};
}

HelpSubject help_subject(const ScreenInput& input) {
  const Sheets& sheets = input.sheets;
  const std::array<std::pair<bool, HelpSubject>, 12> open{
      {{sheets.stop, HelpSubject::kStop},
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
       {sheets.experiment, HelpSubject::kExperiment}}};
  for (const auto& [is_open, subject] : open) {
    if (is_open) return subject;
  }
  return subject_of_page(input);
}

}  // namespace ringside::view
