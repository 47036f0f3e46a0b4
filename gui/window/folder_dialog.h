// The desktop's own dialogs that ask for a folder or a file, where there are any. There always is a
// field to type a path into as well. Each starts a program, waits for it and is called from a job.
#pragma once

#include <atomic>
#include <string>

namespace ringside::window {

/// True where the desktop has a program for such dialogs.
bool has_folder_dialog();

/// The chosen folder, looked for from `begin` on; empty when none was chosen, when there is no
/// dialog, or when `leaving` was set meanwhile, which ends the dialog.
std::string ask_for_folder(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving);
/// The chosen file, a Python file or any other; empty as for ask_for_folder().
std::string ask_for_script(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving);

}  // namespace ringside::window
