// The note of what a person's own program consisted of when its run began: `program_files` in the
// run's folder, one line a part, what stands for its content and its path. Looks at files only; any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/messages/program_parts.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

struct ProgramFiles {
  std::string unknown;  ///< why they cannot be told; empty: they can
  messages::ProgramParts parts;
};

std::string text_of(const ProgramFiles& files);
ProgramFiles parse_program_files(std::string_view text);

/// The program files noted for that run; unknown where nothing was noted.
ProgramFiles noted_program_files(const RunFolder& run);

/// Notes the program files. A run without the note equals no other, so a failure is not told.
void note_program_files(const RunFolder& run, const ProgramFiles& files);

}  // namespace ringside::runlog
