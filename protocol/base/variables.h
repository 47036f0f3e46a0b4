// Read access to environment variables, as a function so that tests can supply their own.
#pragma once

#include <functional>

/// All of them, NAME=value, up to a null pointer. Programs declare it themselves (POSIX).
extern "C" char** environ;

namespace ringside {

/// The value of a variable, or null.
using Variables = std::function<const char*(const char* name)>;

}  // namespace ringside
