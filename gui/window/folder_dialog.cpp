#include "gui/window/folder_dialog.h"

#include <portable_file_dialogs.h>

namespace ringside::window {
namespace {

constexpr int kPollMs = 100;

}  // namespace

bool has_folder_dialog() { return pfd::settings::available(); }

std::string ask_for_folder(const std::string& title, const std::string& begin,
                           const std::atomic<bool>& leaving) {
  if (!has_folder_dialog()) return {};
  pfd::select_folder dialog(title, begin);
  while (!dialog.ready(kPollMs)) {
    if (leaving && dialog.kill()) return {};
  }
  return dialog.result();
}

}  // namespace ringside::window
