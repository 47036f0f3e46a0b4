// The text of a person's own program as a run began with it, and what it stood on: kept in the run
// folder as `program.json`, so that the run can be made again and two runs be told apart by their
// lines. Without secrets. Any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/spec/spec_sections.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {

struct KeptProgram {
  /// Text by path; a path outside of the working folder is whole.
  std::map<std::string, std::string> files{};
  std::map<std::string, std::string> left_out{};  ///< why no text was kept, by path
  std::vector<std::string> redacted{};            ///< paths in whose text a secret is hidden
  std::string python{};                           ///< path; empty: it was another program
  std::map<std::string, std::string> packages{};  ///< version by name
  std::string commit{};  ///< of the repository of the working folder; empty: none, or no git
  std::string branch{};
  std::string uncommitted{};  ///< what `git diff HEAD` printed
};

/// Notes what the program consists of, for the comparison of runs, and keeps its text unless
/// program.keep_source is off; nothing of our own trainer. Asks git, for 2 s at most. Without the
/// note the run is none that equals another, so a failure is not told.
void keep_program(const runlog::RunFolder& run, const messages::ProgramSpec& program);

/// The version of each package by its name, of "torch-2.11.0.dist-info" and the like.
std::map<std::string, std::string> versions_of(const std::set<std::string>& packages);

/// What was kept of the program of a run. A failure says why nothing is there.
Result<KeptProgram> kept_program(const runlog::RunFolder& run);

/// "commit 3f2a1b0c9d8e of main with uncommitted changes, 4 files, 151 packages".
std::string summary_of(const KeptProgram& kept);

}  // namespace ringside::launch
