// JSON on its way through a frame. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ringside::remote {

/// The JSON on one line; text that is not UTF-8 is repaired.
inline std::string json_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ringside::remote
