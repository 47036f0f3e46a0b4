// The environment as it is handed to what only reads it, so that tests have one of their own.
#pragma once

#include <functional>

namespace ringside {

/// The value of a variable, or null.
using Variables = std::function<const char*(const char* name)>;

}  // namespace ringside
