// A sheet with a field and the entries for what is typed there: Up and Down choose, Enter takes,
// Escape leaves. Main thread, inside a frame.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/ui/window/screen.h"
#include "gui/view/window/palette.h"

namespace ringside::ui {

struct EntrySheet {
  const char* id;
  const char* field;  ///< id of its field
  const char* hint;   ///< in the empty field
  std::string note;   ///< below the entries; empty: none
  view::Command close;
  std::optional<view::HelpSubject> help{};  ///< nothing: no question mark
};

using EntriesFor = std::function<std::vector<view::PaletteEntry>(const std::string& typed)>;

void entry_sheet(const EntrySheet& sheet, bool wanted, PaletteMemory& memory,
                 const EntriesFor& entries_for, view::CommandQueue& commands);

}  // namespace ringside::ui
