// The source text of a custom program and its environment as of the start of a run: stored in the
// run folder as `program.json`, so that the run can be reproduced and two runs can be compared line
// by line. Without secrets. Any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/spec/spec_sections.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {

struct SavedProgram {
  /// Text by path; paths outside of the working folder are absolute.
  std::map<std::string, std::string> files{};
  std::map<std::string, std::string> left_out{};  ///< reasons why no text was kept, by path
  std::vector<std::string> redacted{};            ///< paths of texts in which a secret is hidden
  std::string python{};  ///< path of Python; empty: the program does not run in Python
  std::map<std::string, std::string> packages{};  ///< version by name
  /// Commit of the working folder's repository; empty: no repository, or no git.
  std::string commit{};
  std::string branch{};
  std::string uncommitted{};  ///< output of `git diff HEAD`
};

/// Records what the program consists of, for comparing runs, and stores its text unless
/// program.keep_source is off. Does nothing for our own trainer. Asks git, for up to 2 s. A failure
/// is not reported: without the record the run just never counts as equal to another.
void keep_program(const runlog::RunFolder& run, const messages::ProgramSpec& program);

/// Version by package name, parsed from names such as "torch-2.11.0.dist-info".
std::map<std::string, std::string> versions_of(const std::set<std::string>& packages);

/// The stored program of a run. The error says why there is none.
Result<SavedProgram> saved_program(const runlog::RunFolder& run);

/// Text such as "commit 3f2a1b0c9d8e of main with uncommitted changes, 4 files, 151 packages".
std::string summary_of(const SavedProgram& kept);

}  // namespace ringside::launch
