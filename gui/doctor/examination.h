// Examines this machine for `ringside doctor` without options: its devices, its folders, and
// problems that would stop a launch. Any thread; calls our own programs, for up to some seconds.
#pragma once

#include <filesystem>
#include <vector>

#include "gui/launch/preflight/preflight.h"

namespace ringside::doctor {

struct Examination {
  Result<launch::Machine> machine;
  std::vector<launch::ProgramAnswer> programs;
  launch::ProgramAnswer python;  ///< the Python that scripts are started with
  std::vector<launch::Check> checks;
  std::filesystem::path runs_dir;
  Result<std::filesystem::path> assets;
  Result<std::filesystem::path> data;

  /// Whether training is possible; the window may be missing.
  bool healthy() const { return machine && assets && launch::refuse_failures(checks); }
};

/// Checks this machine as the preflight of a run does.
Examination examine_machine(const std::filesystem::path& runs_dir,
                            const launch::Cancelled& cancelled = {});

}  // namespace ringside::doctor
