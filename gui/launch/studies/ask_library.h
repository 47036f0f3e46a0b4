// Asks a library in the person's own Python which settings a study trains next. The helper program
// in assets/ask receives all results so far and keeps no state between two calls. Blocks for some
// seconds; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gui/launch/child.h"
#include "gui/launch/studies/space.h"

namespace ringside::launch {

struct Trial {
  std::vector<std::pair<std::string, std::string>> values;  ///< names and values
  double reached = 0;                                       ///< NaN: the run failed
};

struct LibraryQuestion {
  std::string library;  ///< "optuna"
  std::string python;   ///< a path, or a name in PATH
  std::vector<Trial> trials;
  bool more_is_better = true;
  std::int64_t seed = 0;
};

/// Returns a bad request, which lists the supported libraries, if this one is not supported.
Result<void> check_library(const std::string& library);
/// Returns a value for each name of the space. Bad request: the library is missing (the error says
/// how to install it), or it proposes nothing that is new.
Result<std::vector<Swept>> ask_library(const Space& space, const LibraryQuestion& question,
                                       const Cancelled& cancelled = {});

}  // namespace ringside::launch
