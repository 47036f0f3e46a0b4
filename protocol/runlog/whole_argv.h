// The command line and the own environment of a run whose settings hold them without their secrets
// and without what is not text: kept apart from the run folder, which people hand on, in
// $XDG_STATE_HOME/ringside/arguments (folder 0700, files 0600), until the run folder is found
// deleted. Any thread.
#pragma once

#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/spec_sections.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

/// Saves the whole command line, and where the run folder is now, also over what was saved before.
Result<void> keep_whole_argv(const RunFolder& run, const std::vector<std::string>& argv);

/// Drops the command lines of runs whose folder was deleted from among others; one whose parent is
/// missing, empty or unreadable may only be out of reach. A folder that was moved counts as deleted
/// unless its run was opened there.
void forget_deleted_runs();

/// The command line to run for `stored`, that of the settings: itself where nothing is hidden in
/// it, else the one that was kept. A bad request where this machine does not have that.
Result<std::vector<std::string>> whole_argv(const RunId& run,
                                            const std::vector<std::string>& stored);

/// What a run's settings may hold of its program: secrets of argv and environment are kept apart
/// where there are any.
Result<messages::ProgramSpec> without_secrets(const RunFolder& run,
                                              const messages::ProgramSpec& program);

/// The program to run for `stored`, with the secrets that were kept for it; from now on they are
/// kept for a run that lies where `run` does. A bad request where this machine does not have them.
Result<messages::ProgramSpec> with_secrets(const RunFolder& run,
                                           const messages::ProgramSpec& stored);

}  // namespace ringside::runlog
