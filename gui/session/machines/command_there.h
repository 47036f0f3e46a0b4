// What a command of the window is on another machine: a value that its ringside carries out. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "gui/remote/questions.h"
#include "gui/view/command.h"
#include "gui/view/scaling/study_form.h"

namespace ringside::session {

struct CommandThere {
  std::string job;  ///< one of a name at a time
  remote::FarAct act;
  std::string doing{};                   ///< "Stopping study S-07"; empty: not worth telling
  std::string done{};                    ///< "Run 7f3a was deleted"; empty likewise
  std::optional<remote::FarAct> undo{};  ///< takes it back; nothing: it cannot be
  std::string undone{};                  ///< "Run 7f3a was restored"
};

CommandThere stop_there(const std::string& run, view::StopMode mode);
CommandThere resume_there(const std::string& run);
CommandThere start_study_there(const view::StudyForm& form);

/// What becomes of a command where the runs are kept on another machine. Every kind that could
/// change a run has its answer, or this does not compile.
struct DoneHere {};  ///< it shows something, or what carries it out asks the machine itself
struct OnlyThere {
  std::string what;  ///< "runs are imported": by the ringside of that machine alone
};
using Elsewhere = std::variant<DoneHere, CommandThere, OnlyThere>;
Elsewhere elsewhere(const view::Command& command);

}  // namespace ringside::session
