// The version of this build, its commit, compiler and libraries. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ringside::cli {

/// {"version", "commit", "compiler", "libraries": [{"name", "version", "licence"}]}. The commit is
/// as git describes it, from the nearest tag where there is one; null: it is not known.
nlohmann::ordered_json version_json();

}  // namespace ringside::cli
