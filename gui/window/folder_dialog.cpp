#include "gui/window/folder_dialog.h"

#include <portable_file_dialogs.h>

namespace ringside::window {
namespace {

constexpr int kPollMs = 100;

/// Returns false if it had to close before anything was chosen.
template <class Dialog>
bool answered(Dialog& dialog, const std::atomic<bool>& leaving) {
  while (!dialog.ready(kPollMs)) {
    if (leaving && dialog.kill()) return false;
  }
  return true;
}

}  // namespace

bool has_folder_dialog() { return pfd::settings::available(); }

std::string ask_for_folder(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving) {
  if (!has_folder_dialog()) return {};
  pfd::select_folder dialog(title, begin);
  return answered(dialog, leaving) ? dialog.result() : "";
}

std::string ask_for_script(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving) {
  if (!has_folder_dialog()) return {};
  // Some dialogs use a path that ends in a slash as the initial folder, not as the choice.
  pfd::open_file dialog(title, begin + "/", {"Python", "*.py", "All files", "*"});
  if (!answered(dialog, leaving)) return {};
  const std::vector<std::string> chosen = dialog.result();
  return chosen.empty() ? "" : chosen.front();
}

}  // namespace ringside::window
