// JSON as the payload of a frame. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ringside::remote {

/// The JSON on one line; invalid UTF-8 is replaced.
inline std::string json_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ringside::remote
