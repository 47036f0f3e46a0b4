// The exit code of every program, by the cause of an error.
#pragma once

#include "protocol/base/result.h"

namespace ringside {

/// 2: the request was wrong; 1: the environment failed.
inline int exit_code(const Error& error) { return error.kind == ErrorKind::kRequest ? 2 : 1; }

}  // namespace ringside
