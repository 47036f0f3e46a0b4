// How a command of the window is carried out on another machine, by its `ringside`. Pure values.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "gui/remote/questions.h"
#include "gui/view/command.h"
#include "gui/view/scaling/study_form.h"

namespace ringside::session {

struct RemoteCommand {
  std::string job;  ///< jobs of one name do not run at the same time
  remote::RemoteAction act;
  std::string doing{};                         ///< "Stopping study S-07"; empty: no message
  std::string done{};                          ///< "Run 7f3a was deleted"; empty: no message
  std::optional<remote::RemoteAction> undo{};  ///< reverses it; nothing: it cannot be undone
  std::string undone{};                        ///< "Run 7f3a was restored"
};

RemoteCommand remote_stop(const std::string& run, view::StopMode mode);
RemoteCommand remote_resume(const std::string& run);
RemoteCommand remote_start_study(const view::StudyForm& form);

/// The handling of a command if the runs are on another machine. The compiler checks that every
/// command has one.
struct HandledLocally {};  ///< it only shows something, or its handler asks the machine itself
struct RemoteOnly {
  std::string what;  ///< "runs are imported": only possible in the ringside of that machine
};
using RemoteHandling = std::variant<HandledLocally, RemoteCommand, RemoteOnly>;
RemoteHandling elsewhere(const view::Command& command);

}  // namespace ringside::session
