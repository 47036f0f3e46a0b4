// The version of this build, its commit, compiler and libraries. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ringside::cli {

/// {"version", "commit", "compiler", "libraries": [{"name", "version", "licence"}]}. The commit is
/// as from `git describe`, with the nearest tag if there is one; null: unknown.
nlohmann::ordered_json version_json();

}  // namespace ringside::cli
