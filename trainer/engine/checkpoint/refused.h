// Why a checkpoint's file is not read: thrown and caught inside of its readers, never seen by their
// callers.
#pragma once

#include <string>

namespace ringside::engine {

struct Refused {
  std::string why;
};

}  // namespace ringside::engine
