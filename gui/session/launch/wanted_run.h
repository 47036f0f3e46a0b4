// The run that the Launch page describes: its plan, preflight and start on this machine, on another
// one, as Slurm jobs, or as steps of the allocation that the window was started in; also how its
// devices are linked, and which earlier runs can be its baseline. Reads files and waits for what it
// starts and for Slurm's programs; any thread.
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

/// The run as the Launch page describes it.
struct WantedRun {
  messages::RunSpec spec;  ///< resolved for this machine
  view::SlurmForm form;
  std::vector<launch::EarlierRun> earlier{};  ///< newest first
  launch::Machine machine{};                  ///< this machine
  launch::LoadedPreset preset{};
  std::filesystem::path runs_dir;
  std::optional<std::int64_t> answered_mono_ns{};  ///< when Slurm answered last
};

/// Plans the run where its form sends it. A bad request names what prevents it.
Result<StudyPlan> plan_wanted(const WantedRun& run);

struct Preflight {
  std::vector<view::CheckView> checks;
  std::vector<view::BaselineChoice> baselines;  ///< equal to the one to be trained
  std::vector<std::string> argv;  ///< command of sbatch, or the command that would start the steps
  place::PlacePtr there;          ///< current state of that place; null: not asked
  std::optional<std::int64_t> answered_mono_ns;  ///< when Slurm answered; nothing: it did not
  std::optional<view::MachineSummary> summary;   ///< with its current load
};
view::CheckView check_view(const launch::Check& check);
/// Checks a run on this machine. `finished`: runs with one rank, newest first, as shown; `form`:
/// the devices that a person chose.
Preflight check_here(const WantedRun& run, const std::vector<launch::ProgramAnswer>& programs,
                     const std::vector<view::BaselineChoice>& finished,
                     const view::LaunchForm& form, const view::ProbeFacts& probe);

/// Checks a run on another machine, which has its own presets, files and earlier runs, and asks
/// what sbatch would get there; a run on that machine itself is checked when it starts.
Preflight check_there(const OtherMachine& machine, const WantedRun& run);
/// Slurm is asked about the allocation again if its answer is older than this, since every key that
/// is typed into the form starts a preflight.
inline constexpr std::int64_t kToldForNs = 10'000'000'000;
Preflight check_on_slurm(WantedRun run, const Clock& clock = SystemClock());

/// Plans, checks and starts the run at its place; always asks Slurm first. A bad request if Slurm
/// cannot do it or the allocation has ended; a failure if it is not known whether the allocation
/// has GPUs.
Result<launch::Started> start_in_place(WantedRun run);

}  // namespace ringside::session
