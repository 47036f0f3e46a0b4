// SHA-256 of a file (OpenSSL). Callable from any thread.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace ringside::data {

/// 64 lower-case hexadecimal digits.
Result<std::string> sha256_of(const std::filesystem::path& path);

}  // namespace ringside::data
