// Tells which files of a run folder are copied to another machine, and how. Both ends ask, so that
// neither can be talked into another file. Pure; any thread.
#pragma once

#include <string_view>

namespace ringside::remote {

enum class Growth : char {
  kNever,     ///< not copied: checkpoints, exports, keys, locks, hidden files
  kAppended,  ///< only ever appended to: copied from the size that is there already
  kReplaced,  ///< small, replaced as a whole
};

/// `path`: inside of the run folder, with slashes. Anything but plain names is never copied.
Growth growth_of(std::string_view path);

}  // namespace ringside::remote
