// Maps each part of the window to its section of the manual, and holds the input of the manual's
// sheet. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "gui/view/choices.h"

namespace ringside::manual {
struct Manual;
}

namespace ringside::view {

/// Subjects that a person can ask help for: pages, then sheets and panels.
enum class HelpSubject : std::uint8_t {
  kLaunch,
  kLive,
  kGroups,  ///< a tab of Live, as is kNodes
  kNodes,
  kScaling,
  kSampler,
  kRuns,
  kTimeline,
  kCompare,  ///< the marked runs, beside the list
  kBoard,    ///< the board of machines
  kScript,   ///< the form of a script in Launch
  kSlurm,    ///< Slurm as the place of a run
  kStop,
  kSettings,
  kAlerts,
  kOpenRun,
  kChooser,  ///< the chooser of files and folders
  kDoctor,
  kWaterfall,
  kTries,
  kExperiment,
  kMachines,
  kExport,
  kStudy,  ///< the form of a new study
  kStack,
  kKeys,
  kCount
};

struct ManualPlace {
  std::string topic{};
  std::string section{};  ///< empty: the beginning
  bool operator==(const ManualPlace&) const = default;
};

/// Input of the manual's sheet while it is open.
struct ManualInput {
  const manual::Manual* manual = nullptr;  ///< null: being read, or see `problem`
  std::string problem;
  ManualPlace wanted;  ///< requested by the person
  int times = 0;       ///< number of requests, since the same place may be requested again
};

ManualPlace manual_place(HelpSubject subject);

}  // namespace ringside::view
