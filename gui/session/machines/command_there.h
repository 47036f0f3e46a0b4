// What a command of the window is on another machine: words of `ringside` there. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/view/command.h"
#include "gui/view/scaling/study_form.h"

namespace ringside::session {

struct CommandThere {
  std::string job;                 ///< one of a name at a time
  std::vector<std::string> words;  ///< behind `ringside`
  std::string doing;               ///< "Stopping study S-07"; empty: not worth telling
  std::string done;                ///< "Run 7f3a was deleted"; empty likewise
  std::vector<std::string> undo;   ///< words that take it back; empty: nothing does
  std::string undone;              ///< "Run 7f3a was restored"
};

CommandThere stop_there(const std::string& run, view::StopMode mode);
CommandThere resume_there(const std::string& run);
CommandThere start_study_there(const view::StudyForm& form);
/// Of those that act on runs and studies of a list; nothing for all others.
std::optional<CommandThere> command_there(const view::Command& command);
/// Why this cannot be done from here, as an end of a sentence; empty: it can.
std::string not_there(const view::Command& command);

}  // namespace ringside::session
