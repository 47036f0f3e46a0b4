// Why a checkpoint file is not read; thrown and caught within its readers, never seen by their
// callers.
#pragma once

#include <string>

namespace ringside::engine {

struct Refused {
  std::string why;
};

}  // namespace ringside::engine
