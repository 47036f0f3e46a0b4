// Asks a library of the person's own Python which settings a study trains next. Its helper in
// assets/ask gets all that was measured so far, and nothing is kept between two questions. Blocks
// for some seconds; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gui/launch/child.h"
#include "gui/launch/combinations/space.h"

namespace ringside::launch {

/// A combination that was trained.
struct Trial {
  std::vector<std::pair<std::string, std::string>> values;  ///< names and values
  double reached = 0;                                       ///< NaN: it failed
};

struct LibraryQuestion {
  std::string library;  ///< "optuna"
  std::string python;   ///< a path, or a name that PATH has
  std::vector<Trial> trials;
  bool more_is_better = true;
  std::int64_t seed = 0;
};

/// Names the libraries that can be asked; a bad request for any other.
Result<void> check_library(const std::string& library);
/// A value for each name of the space. A bad request: the library is missing, and how to install
/// it; or it proposes nothing that was not trained yet.
Result<std::vector<Swept>> ask_library(const Space& space, const LibraryQuestion& question,
                                       const Cancelled& cancelled = {});

}  // namespace ringside::launch
