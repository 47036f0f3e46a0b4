// The parts of a custom program when its run began: the file `program_files` in the run folder has
// one line per part, with its content hash and its path. Accesses only files; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/messages/program_parts.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

struct ProgramFiles {
  std::string unknown;  ///< why they could not be determined; empty when they were
  messages::ProgramParts parts;
};

std::string text_of(const ProgramFiles& files);
ProgramFiles parse_program_files(std::string_view text);

/// The recorded program files of that run; unknown when there is no record.
ProgramFiles noted_program_files(const RunFolder& run);

/// Records the program files. Without a record, the run's program counts as different from any
/// other, so a failure is not reported.
void note_program_files(const RunFolder& run, const ProgramFiles& files);

}  // namespace ringside::runlog
