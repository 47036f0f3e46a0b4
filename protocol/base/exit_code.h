// Maps an error to the exit code that every program uses.
#pragma once

#include "protocol/base/result.h"

namespace ringside {

/// 2: the request was wrong; 1: the environment failed.
inline int exit_code(const Error& error) { return error.kind == ErrorKind::kRequest ? 2 : 1; }

}  // namespace ringside
