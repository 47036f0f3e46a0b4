// The files that let a custom program send telemetry: the library for any language and the Python
// package, which are installed with the agent. Any thread; only reads.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ringside::agent {

/// Empty paths: not found.
struct ClientFiles {
  std::filesystem::path library;  ///< libringside_rank.so
  std::filesystem::path python;   ///< contains ringside_rank and inject
};

/// Client files of the programs in `folder`: in the build folder beside them, or in lib and share
/// of an installation.
ClientFiles find_client_files(const std::filesystem::path& folder);

/// Variables for a rank: where to find both, and whether Python instruments itself. `python_path`
/// is the value of PYTHONPATH so far.
std::vector<std::pair<std::string, std::string>> client_values(const ClientFiles& files,
                                                               bool instrument,
                                                               const std::string& python_path);

/// One sentence about what is missing and its consequence; empty when all is there.
std::string missing_text(const ClientFiles& files, bool instrument);

}  // namespace ringside::agent
