#include "trainer/agent/processes/client_files.h"

#include <sstream>
#include <system_error>

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;

fs::path first_there(const std::vector<fs::path>& places, fs::file_type type) {
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::status(place, ignored).type() == type) return place.lexically_normal();
  }
  return {};
}

// The parts of a search path that are not ours, which are there if a rank starts a run of its own.
std::string others(const std::string& path, const ClientFiles& files) {
  std::string rest;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, ':');) {
    if (part == files.python || part == files.python / "inject") continue;
    rest += ":" + part;
  }
  return rest;
}

}  // namespace

ClientFiles find_client_files(const fs::path& folder) {
  return {first_there({folder / "libringside_rank.so", folder / "../lib/libringside_rank.so"},
                      fs::file_type::regular),
          first_there({folder / "../share/ringside/python", folder / "python"},
                      fs::file_type::directory)};
}

std::vector<std::pair<std::string, std::string>> client_values(const ClientFiles& files,
                                                               bool instrument,
                                                               const std::string& python_path) {
  std::vector<std::pair<std::string, std::string>> values;
  if (!files.library.empty()) values.emplace_back("RINGSIDE_RANK_LIBRARY", files.library.string());
  if (files.python.empty()) return values;
  const std::string package = files.python.string() + others(python_path, files);
  values.emplace_back("PYTHONPATH",
                      instrument ? (files.python / "inject").string() + ":" + package : package);
  if (instrument) values.emplace_back("RINGSIDE_INSTRUMENT", "1");
  return values;
}

std::string missing_text(const ClientFiles& files, bool instrument) {
  const bool blind = instrument && files.python.empty();
  if (files.library.empty() || files.python.empty()) {
    return std::string(files.library.empty() ? "libringside_rank.so" : "the Python package") +
           " is not beside ringside-agent: " +
           (blind ? "Python programs report nothing by themselves"
                  : "programs that use it report nothing") +
           "; rebuild or reinstall Ringside";
  }
  return {};
}

}  // namespace ringside::agent
