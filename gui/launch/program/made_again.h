// A run made again from what was kept of it: its program's files and its settings in a folder of
// their own, from which `ringside run` starts it. Writes files; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/launch/program/kept_program.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

struct ChangedPackage {
  std::string name;
  std::string then;  ///< version; empty: it was not there
  std::string now;
};
/// What a program consists of today against what it did when its run began.
struct ProgramChanges {
  std::string unknown;              ///< why it cannot be told; empty: it can
  std::vector<std::string> edited;  ///< paths whose text is another one today
  std::vector<std::string> gone;    ///< or not used any more
  std::vector<ChangedPackage> packages;
};
ProgramChanges changes_since(const runlog::RunFolder& run, const KeptProgram& kept,
                             const messages::ProgramSpec& program);

/// Writes `kept` into `folder`, which is made or is empty: files below the working folder by their
/// path, others below `outside`; and `run.toml`, the settings of the run with that as its working
/// folder and the new paths in its command line. Returns the path of run.toml. Bad request where
/// something is in the folder, or a path of `kept` leads out of it.
Result<std::filesystem::path> write_again(const KeptProgram& kept, messages::RunSpec spec,
                                          const std::filesystem::path& folder);

}  // namespace ringside::launch
