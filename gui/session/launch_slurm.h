// A run of the Launch place on Slurm: jobs of its own, or, in a window that was started inside an
// allocation, steps of that. Reads files and waits for Slurm's programs; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/preflight/preflight.h"
#include "gui/launch/presets.h"
#include "gui/launch/start_experiment.h"
#include "gui/view/launch/slurm_form.h"
#include "protocol/base/clock.h"

namespace ringside::session {

/// As the place describes it.
struct SlurmRun {
  messages::RunSpec spec;  ///< as of this machine
  view::SlurmForm form;
  launch::FindEarlier find;
  launch::LoadedPreset preset{};
  std::filesystem::path runs_dir;
  std::optional<std::int64_t> told_mono_ns{};  ///< as the preflight before this one left it
};

struct SlurmPreflight {
  std::vector<launch::Check> checks;
  std::vector<std::string> argv;  ///< what sbatch would get, or what would start the steps
  std::optional<slurm::Allocation> allocation;  ///< as it is now
  std::optional<std::int64_t> told_mono_ns;     ///< when Slurm said so; nothing: it did not
};
/// Slurm is asked about the allocation when its answer is older than this: every letter that is
/// typed into the form is a preflight.
inline constexpr std::int64_t kToldForNs = 10'000'000'000;
SlurmPreflight check_on_slurm(SlurmRun run, const Clock& clock = SystemClock());

/// The allocation of the form, where it has one, as Slurm has it now: it may have ended since.
/// False where Slurm does not answer.
bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled = {});

/// Asks Slurm in any case. A bad request says what Slurm cannot be asked for, or that the
/// allocation is over; a failure, too, that nobody knows whether it has GPUs.
Result<launch::Experiment> start_on_slurm(SlurmRun run);

}  // namespace ringside::session
