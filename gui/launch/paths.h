// Locations of the other programs, the presets and the data sets. Reads the file system; any
// thread.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace ringside::launch {

std::filesystem::path program_folder();

/// Finds `ringside-agent` and others beside the running program. The error says where it was
/// expected.
Result<std::filesystem::path> find_program(const std::string& name);

/// `program` unchanged if it contains a folder, or else found in PATH.
Result<std::string> find_on_path(const std::string& program);

/// $RINGSIDE_ASSETS_DIR, or else share/ringside beside bin, or else in the source tree.
Result<std::filesystem::path> assets_folder();

/// The folder, or the nearest one above it that exists.
std::filesystem::path existing_ancestor(std::filesystem::path folder);

}  // namespace ringside::launch
