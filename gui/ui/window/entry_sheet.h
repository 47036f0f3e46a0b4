// A sheet with a text field and matching entries: Up and Down select, Enter chooses, Escape closes.
// Main thread, inside a frame.
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
  const char* field;  ///< id of the text field
  const char* hint;   ///< shown in the empty field
  std::string note;   ///< below the entries; empty: none
  view::Command close;
  std::optional<view::HelpSubject> help{};  ///< nothing: no question mark
};

using EntriesFor = std::function<std::vector<view::PaletteEntry>(const std::string& typed)>;

void entry_sheet(const EntrySheet& sheet, bool wanted, PaletteMemory& memory,
                 const EntriesFor& entries_for, view::CommandQueue& commands);

}  // namespace ringside::ui
