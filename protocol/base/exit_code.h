// The exit code with which every program says whose fault an error was.
#pragma once

#include "protocol/base/result.h"

namespace ringside {

/// 2: the request was wrong; 1: the world failed.
inline int exit_code(const Error& error) { return error.kind == ErrorKind::kRequest ? 2 : 1; }

}  // namespace ringside
