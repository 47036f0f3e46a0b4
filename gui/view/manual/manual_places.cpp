#include "gui/view/manual/manual_places.h"

#include <array>
#include <cstddef>

namespace ringside::view {
namespace {

struct PlaceEntry {
  HelpSubject subject;
  const char* topic;
  const char* section;  ///< empty: the beginning of the topic
};

// The only table that maps subjects to the manual; a test opens every row.
constexpr std::array<PlaceEntry, static_cast<std::size_t>(HelpSubject::kCount)> kManualPlaces{{
    {HelpSubject::kLaunch, "window", "launch"},
    {HelpSubject::kLive, "window", "live"},
    {HelpSubject::kGroups, "scripts", "see-what-ranks-do-together"},
    {HelpSubject::kNodes, "nodes", "watch-it"},
    {HelpSubject::kScaling, "window", "scaling"},
    {HelpSubject::kSampler, "window", "sampler"},
    {HelpSubject::kRuns, "window", "runs"},
    {HelpSubject::kTimeline, "timeline", ""},
    {HelpSubject::kCompare, "window", "compare"},
    {HelpSubject::kBoard, "window", "machines"},
    {HelpSubject::kScript, "scripts", ""},
    {HelpSubject::kSlurm, "slurm", ""},
    {HelpSubject::kStop, "runs", "stop-and-resume"},
    {HelpSubject::kSettings, "window", "arrange-the-panels"},
    {HelpSubject::kAlerts, "alerts", ""},
    {HelpSubject::kOpenRun, "window", "runs"},
    {HelpSubject::kChooser, "window", "choose-a-file-or-folder"},
    {HelpSubject::kDoctor, "doctor", ""},
    {HelpSubject::kWaterfall, "waterfall", ""},
    {HelpSubject::kTries, "studies", "try-what-may-make-it-quicker"},
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

}  // namespace

ManualPlace manual_place(HelpSubject subject) {
  const PlaceEntry& entry = kManualPlaces[static_cast<std::size_t>(subject)];
  return {entry.topic, entry.section};
}

}  // namespace ringside::view
