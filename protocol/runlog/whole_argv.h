// The whole command line and environment of a run, whose stored settings omit secrets and bytes
// that are not text. They are saved outside the run folder, which people share, in
// $XDG_STATE_HOME/ringside/arguments (folder 0700, files 0600), until the run folder is deleted.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/spec_sections.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

/// Saves the whole command line and the current path of the run folder, replacing earlier ones.
Result<void> keep_whole_argv(const RunFolder& run, const std::vector<std::string>& argv);

/// Deletes the command lines of runs whose folder was deleted while others beside it exist; if the
/// parent is missing, empty or unreadable, it may only be out of reach. A folder that was moved
/// counts as deleted unless its run was opened in its new place.
void forget_deleted_runs();

/// The command line to run for the `stored` one of the settings: the same if nothing is hidden in
/// it, otherwise the saved one. A bad request if this machine does not have it.
Result<std::vector<std::string>> whole_argv(const RunId& run,
                                            const std::vector<std::string>& stored);

/// The program as the run's settings may store it; if argv or environment contain secrets, the
/// whole ones are saved separately.
Result<messages::ProgramSpec> without_secrets(const RunFolder& run,
                                              const messages::ProgramSpec& program);

/// The program to run for `stored`, with its saved secrets, which are from now on saved for the run
/// folder `run`. A bad request if this machine does not have them.
Result<messages::ProgramSpec> with_secrets(const RunFolder& run,
                                           const messages::ProgramSpec& stored);

}  // namespace ringside::runlog
