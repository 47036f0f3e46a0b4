// Where the other programs, the presets and the data sets lie. Looks at the file system; any
// thread.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace ringside::launch {

/// The folder of the running program.
std::filesystem::path program_folder();

/// `ringside-agent` and its like lie beside the running program. Fails with where it was looked
/// for.
Result<std::filesystem::path> find_program(const std::string& name);

/// `program` as it is when it names a folder, else found in PATH.
Result<std::string> find_on_path(const std::string& program);

/// $RINGSIDE_ASSETS_DIR, else share/ringside beside bin, else the tree this program was built from.
Result<std::filesystem::path> assets_folder();

/// The folder, or the nearest one above it that exists.
std::filesystem::path existing_ancestor(std::filesystem::path folder);

}  // namespace ringside::launch
