#include "gui/cli/print/version.h"

#include <nlohmann/json.hpp>

#include "build_parts.h"

namespace ringside::cli {

nlohmann::ordered_json version_json() {
  nlohmann::ordered_json json;
  json["version"] = RINGSIDE_VERSION;
  json["commit"] = *kCommit == '\0' ? nlohmann::ordered_json() : kCommit;
  json["compiler"] = kCompiler;
  json["libraries"] = nlohmann::ordered_json::array();
  for (const auto& [name, version, licence] : kParts)
    json["libraries"].push_back({{"name", name}, {"version", version}, {"licence", licence}});
  return json;
}

}  // namespace ringside::cli
