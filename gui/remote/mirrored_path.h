// Decides which files of a run folder are copied to another machine, and how. Both ends call it, so
// that neither can be made to copy another file. Pure; any thread.
#pragma once

#include <string_view>

namespace ringside::remote {

enum class Growth : char {
  kNever,     ///< not copied: checkpoints, exports, keys, locks, hidden files
  kAppended,  ///< only ever appended to: copying continues at the size of the copy
  kReplaced,  ///< small, replaced as a whole
};

/// `path`: relative to the run folder, with slashes. Paths with anything but plain names are never
/// copied.
Growth growth_of(std::string_view path);

}  // namespace ringside::remote
