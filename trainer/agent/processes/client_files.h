// What a program of a person's own is given so that it can report: the library for any language and
// the package for Python, which come with the agent. Any thread; only looks.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ringside::agent {

/// Empty: not there.
struct ClientFiles {
  std::filesystem::path library;  ///< libringside_rank.so
  std::filesystem::path python;   ///< holds ringside_rank and inject
};

/// Client files that belong to the programs in `folder`: beside them where they were built, in lib
/// and share where they are installed.
ClientFiles find_client_files(const std::filesystem::path& folder);

/// The variables for a rank: where to find both, and whether Python is to report by itself.
/// `python_path` is PYTHONPATH as it was.
std::vector<std::pair<std::string, std::string>> client_values(const ClientFiles& files,
                                                               bool instrument,
                                                               const std::string& python_path);

/// What is missing, and what that means, as one sentence; empty: nothing.
std::string missing_text(const ClientFiles& files, bool instrument);

}  // namespace ringside::agent
