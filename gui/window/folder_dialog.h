// The desktop's own dialogs that ask for a folder or a file, if there are any; a path can always be
// typed into a field instead. Each starts a program, waits for it and is called from a job.
#pragma once

#include <atomic>
#include <string>

namespace ringside::window {

/// Whether the desktop has a program for such dialogs.
bool has_folder_dialog();

/// Returns the chosen folder; the dialog opens at `begin`. Empty if none was chosen, if there is no
/// dialog, or if `leaving` was set meanwhile, which closes the dialog.
std::string ask_for_folder(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving);
/// Returns the chosen file, a Python file or any other; empty as for ask_for_folder().
std::string ask_for_script(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving);

}  // namespace ringside::window
