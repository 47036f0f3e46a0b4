// A run of the Launch place: on this machine, or on Slurm as jobs of its own, or, in a window that
// was started inside an allocation, steps of that. Reads files and waits for what it starts and for
// Slurm's programs; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "gui/session/studies/study_plan.h"
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
  std::optional<slurm::Allocation> allocation;  ///< as it is now
  std::optional<std::int64_t> told_mono_ns;     ///< when Slurm said so; nothing: it did not
  std::optional<view::MachineSummary> summary;  ///< with what goes on on it
};
view::CheckView check_view(const launch::Check& check);
/// Slurm is asked about the allocation when its answer is older than this: every letter that is
/// typed into the form is a preflight.
inline constexpr std::int64_t kToldForNs = 10'000'000'000;
Preflight check_on_slurm(WantedRun run, const Clock& clock = SystemClock());

/// Plans, checks and starts the run at that place; Slurm is always asked first. A bad request if
/// Slurm cannot do what was asked or if the allocation has ended; a failure if it is not known
/// whether the allocation has GPUs.
Result<launch::Started> start_in_place(WantedRun run);

}  // namespace ringside::session
