// Reproduces a run from its stored program: writes the program's files and its settings into a new
// folder, from which `ringside run` starts it. Writes files; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/launch/program/saved_program.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

struct ChangedPackage {
  std::string name;
  std::string then;  ///< version when the run began; empty: not installed then
  std::string now;
};
/// Compares a program's present files with those at the start of its run.
struct ProgramChanges {
  std::string unknown;              ///< why they cannot be compared; empty: they can
  std::vector<std::string> edited;  ///< paths whose text has changed
  std::vector<std::string> gone;    ///< paths that are deleted or no longer used
  std::vector<ChangedPackage> packages;
};
ProgramChanges changes_since(const runlog::RunFolder& run, const SavedProgram& kept,
                             const messages::ProgramSpec& program);

/// Writes `kept` into `folder`, which is created or must be empty: files of the working folder by
/// their path, others below `outside`; and `run.toml`, the run's settings with this working folder
/// and the new paths in the command line. Returns the path of run.toml. Returns a bad request if
/// the folder is not empty, or if a path in `kept` leads out of it.
Result<std::filesystem::path> write_again(const SavedProgram& kept, messages::RunSpec spec,
                                          const std::filesystem::path& folder);

}  // namespace ringside::launch
