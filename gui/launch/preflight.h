// Looks, before anything is started, for what would make a run fail or its figures worthless. Reads
// file sizes and free space; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/launch/plan.h"

namespace ringside::launch {

enum class Verdict : std::uint8_t { kPass, kWarning, kFail };

struct Check {
  Verdict verdict = Verdict::kPass;
  std::string title;   ///< "Data is complete"
  std::string detail;  ///< what was found; for a failure also what to do next
};

std::vector<Check> preflight(const Plan& plan, const Machine& machine,
                             const std::filesystem::path& runs_dir);

/// Data files of a set that is read: each present (plain or .gz) and of the right size when plain.
/// A generated set is there, or the folder it would be made in can be written.
Check check_data(const messages::DataSpec& data);
/// model.init_from and a path in checkpoint.resume name files.
Check check_weights(const messages::RunSpec& spec);
/// The folder (or the nearest one above it that exists) can be written and has room.
Check check_folder(const std::filesystem::path& folder, std::uint64_t least_bytes);
/// No other process computes on the GPUs of the plan.
Check check_gpus_idle(const Plan& plan, const Machine& machine);

/// The first failure as an error; nothing when none failed.
Result<void> refuse_failures(const std::vector<Check>& checks);

}  // namespace ringside::launch
