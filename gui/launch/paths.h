// Locations of the other programs, the presets and the data sets. Reads the file system; any
// thread.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/base/result.h"
#include "protocol/host/platform.h"

namespace ringside::launch {

/// The folder with the running program; empty: unknown.
std::filesystem::path program_folder();

/// A bad request where only the viewer is: no run is started there, and no process looked at.
Result<void> check_can_start(bool viewer_only = is_viewer_only());

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
