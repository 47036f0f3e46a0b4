// Reads one folder for the chooser of files. Files only; any thread, and slow where a disk is.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "gui/view/window/file_chooser.h"

namespace ringside::session {

/// Looks at a path like stat(): returns 0, or the number of the error. Called in a thread that is
/// left alone if it does not return, so it owns what it touches.
using Look = std::function<int(const char* path, struct stat& about)>;
int look_at(const char* path, struct stat& about);

/// Lists a folder; links are shown as what they lead to. `make`: makes the folder first. A problem
/// is part of the listing. An entry on a disk that does not answer within a second is left, with
/// that as its problem; after four of them the rest has names alone.
view::FolderListing list_folder(const std::string& folder, bool make = false,
                                const Look& look = look_at);

}  // namespace ringside::session
