// Maps each part of the window to its part of the manual, and holds what is known of the manual
// while it is shown there. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "gui/view/choices.h"

namespace ringside::manual {
struct Manual;
}

namespace ringside::view {

/// What of the window a person can want help with: pages, then what lies over them.
enum class HelpSubject : std::uint8_t {
  kLaunch,
  kLive,
  kGroups,  ///< a tab of Live, as the next
  kNodes,
  kScaling,
  kSampler,
  kRuns,
  kTimeline,
  kCompare,  ///< marked runs beside the list
  kBoard,    ///< of machines
  kScript,   ///< the form of a script in Launch
  kSlurm,    ///< Slurm as the place of a run
  kStop,
  kSettings,
  kAlerts,
  kOpenRun,
  kDoctor,
  kWaterfall,
  kTries,
  kExperiment,
  kMachines,
  kExport,
  kStudy,  ///< the form of a new one
  kStack,
  kKeys,
  kCount
};

struct ManualPlace {
  std::string topic{};
  std::string section{};  ///< empty: the beginning
  bool operator==(const ManualPlace&) const = default;
};

/// What is known of the manual while its sheet is open.
struct ManualInput {
  const manual::Manual* manual = nullptr;  ///< null: it is being read, or `problem` says why not
  std::string problem;
  ManualPlace wanted;  ///< by whoever opened it
  int times = 0;       ///< so often was it opened: the same may be wanted again
};

ManualPlace manual_place(HelpSubject subject);

}  // namespace ringside::view
