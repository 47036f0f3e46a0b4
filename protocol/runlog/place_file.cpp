#include "protocol/runlog/place_file.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "protocol/host/files.h"

namespace ringside::runlog {

std::string place_kind(const RunFolder& folder) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  if (const auto text = read_text(folder.path() / kPlaceFile, kMostBytes)) {
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    const auto kind = json.is_object() ? json.find("kind") : json.end();
    return kind != json.end() && kind->is_string() ? kind->get<std::string>() : std::string();
  }
  std::error_code ignored;
  return std::filesystem::exists(folder.path() / kOldSlurmFile, ignored) ? "slurm" : "";
}

}  // namespace ringside::runlog
