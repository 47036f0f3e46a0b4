// The version of this build, its compiler and libraries. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ringside::cli {

/// {"version", "compiler", "libraries": [{"name", "version", "licence"}]}.
nlohmann::ordered_json version_json();

}  // namespace ringside::cli
