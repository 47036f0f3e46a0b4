// A run of the Launch place, its preflight and its start: on this machine, on another one, or on
// Slurm as jobs of its own, or, in a window that was started inside an allocation, steps of that,
// how its devices reach each other, and which earlier runs can be its baseline. Reads files and
// waits for what it starts and for Slurm's programs; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "gui/session/machines/machine_controller.h"
#include "gui/session/studies/study_plan.h"
#include "gui/view/launch/launch_probe.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/launch/slurm_form.h"
#include "protocol/base/clock.h"

namespace ringside::session {

/// As the Launch place describes it.
struct WantedRun {
  messages::RunSpec spec;  ///< as of this machine
  view::SlurmForm form;
  std::vector<launch::EarlierRun> earlier{};  ///< newest first
  launch::Machine machine{};                  ///< this one
  launch::LoadedPreset preset{};
  std::filesystem::path runs_dir;
  std::optional<std::int64_t> told_mono_ns{};  ///< as the preflight before this one left it
};

/// The plan of it, where its form says that it goes. A bad request says what stands against it.
Result<StudyPlan> plan_wanted(const WantedRun& run);

/// What a preflight found.
struct Preflight {
  std::vector<view::CheckView> checks;
  std::vector<view::BaselineChoice> baselines;  ///< that equal what would be trained
  std::vector<std::string> argv;  ///< what sbatch would get, or what would start the steps
  place::PlacePtr there;          ///< that place as it is now; null: not asked
  std::optional<std::int64_t> told_mono_ns;     ///< when Slurm said so; nothing: it did not
  std::optional<view::MachineSummary> summary;  ///< with what goes on on it
};
view::CheckView check_view(const launch::Check& check);
/// Looks at a run on this machine. `finished`: runs with one rank, newest first, as shown; `form`:
/// the devices that a person chose.
Preflight check_here(const WantedRun& run, const std::vector<launch::ProgramAnswer>& programs,
                     const std::vector<view::BaselineChoice>& finished,
                     const view::LaunchForm& form, const view::ProbeFacts& probe);

/// Asks another machine, which knows its presets, files and earlier runs, what sbatch would get
/// there; a run on itself it checks when it starts.
Preflight check_there(const OtherMachine& machine, const WantedRun& run);
/// Slurm is asked about the allocation when its answer is older than this: every letter that is
/// typed into the form is a preflight.
inline constexpr std::int64_t kToldForNs = 10'000'000'000;
Preflight check_on_slurm(WantedRun run, const Clock& clock = SystemClock());

/// Plans, checks and starts the run at that place; Slurm is always asked first. A bad request if
/// Slurm cannot do what was asked or if the allocation has ended; a failure if it is not known
/// whether the allocation has GPUs.
Result<launch::Started> start_in_place(WantedRun run);

}  // namespace ringside::session
