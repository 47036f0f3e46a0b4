// Reads one folder for the chooser of files. Files only; any thread, and slow where a disk is.
#pragma once

#include <string>

#include "gui/view/window/file_chooser.h"

namespace ringside::session {

/// Lists a folder; links are shown as what they lead to. `make`: makes the folder first. A problem
/// is part of the listing.
view::FolderListing list_folder(const std::string& folder, bool make = false);

}  // namespace ringside::session
