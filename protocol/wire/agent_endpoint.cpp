#include "protocol/wire/agent_endpoint.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/host/host.h"

namespace ringside::wire {
namespace {

using Json = nlohmann::json;

constexpr int kEndpointVersion = 1;
constexpr std::size_t kKeyCharacters = 40;
constexpr std::string_view kLoopback = "tcp://127.0.0.1:";

std::string token_text(std::uint64_t token) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(token));
  return text.data();
}

bool read_token(const std::string& text, std::uint64_t& token) {
  const auto read = whole_number<std::uint64_t>(text, 16);
  if (text.size() != 16 || !read) return false;
  token = *read;
  return true;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class T>
T number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<T>() : T{0};
}

// Name of the first invalid field; empty when all are valid.
std::string wrong_part(const AgentEndpoint& endpoint) {
  if (!endpoint.telemetry_endpoint.starts_with(kLoopback)) return "telemetry_endpoint";
  if (!endpoint.viewer_endpoint.starts_with(kLoopback)) return "viewer_endpoint";
  if (endpoint.server_public_key.size() != kKeyCharacters) return "server_public_key";
  if (endpoint.client_public_key.size() != kKeyCharacters) return "client_public_key";
  if (endpoint.client_secret_key.size() != kKeyCharacters) return "client_secret_key";
  if (endpoint.agent_pid <= 0) return "agent_pid";
  return {};
}

tl::unexpected<Error> unusable(const std::filesystem::path& path, const std::string& why) {
  return failure("cannot use " + path.string() + ": " + why +
                 "; its agent writes it again when it starts");
}

}  // namespace

Result<void> write_agent_endpoint(const std::filesystem::path& path,
                                  const AgentEndpoint& endpoint) {
  Json json;
  json["version"] = kEndpointVersion;
  json["run_id"] = endpoint.run_id;
  json["telemetry_endpoint"] = endpoint.telemetry_endpoint;
  json["viewer_endpoint"] = endpoint.viewer_endpoint;
  if (!endpoint.node_endpoint.empty()) json["node_endpoint"] = endpoint.node_endpoint;
  json["server_public_key"] = endpoint.server_public_key;
  json["client_public_key"] = endpoint.client_public_key;
  json["client_secret_key"] = endpoint.client_secret_key;
  json["run_token"] = token_text(endpoint.run_token);
  json["agent_pid"] = endpoint.agent_pid;
  json["agent_start_ticks"] = endpoint.agent_start_ticks;
  json["boot_id"] = endpoint.boot_id;
  json["host"] = endpoint.host;
  const auto replace = Json::error_handler_t::replace;
  return write_text_atomically(path, json.dump(2, ' ', false, replace) + "\n");
}

Result<AgentEndpoint> read_agent_endpoint(const std::filesystem::path& path) {
  const auto text = RINGSIDE_TRY(read_text(path, std::size_t{64} << 10));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return unusable(path, "it is not a JSON object");
  if (number_of<int>(json, "version") != kEndpointVersion) {
    return unusable(path, "its version is not " + std::to_string(kEndpointVersion));
  }
  AgentEndpoint endpoint;
  endpoint.run_id = text_of(json, "run_id");
  endpoint.telemetry_endpoint = text_of(json, "telemetry_endpoint");
  endpoint.viewer_endpoint = text_of(json, "viewer_endpoint");
  endpoint.node_endpoint = text_of(json, "node_endpoint");
  endpoint.server_public_key = text_of(json, "server_public_key");
  endpoint.client_public_key = text_of(json, "client_public_key");
  endpoint.client_secret_key = text_of(json, "client_secret_key");
  endpoint.agent_pid = number_of<std::int32_t>(json, "agent_pid");
  endpoint.agent_start_ticks = number_of<std::uint64_t>(json, "agent_start_ticks");
  endpoint.boot_id = text_of(json, "boot_id");
  endpoint.host = text_of(json, "host");
  endpoint.local_socket = local_socket_path(path);
  if (!read_token(text_of(json, "run_token"), endpoint.run_token))
    return unusable(path, "its run_token is wrong");
  const std::string wrong = wrong_part(endpoint);
  if (!wrong.empty()) return unusable(path, "its " + wrong + " is missing or wrong");
  return endpoint;
}

std::filesystem::path local_socket_path(const std::filesystem::path& endpoint_file) {
  return std::filesystem::path(endpoint_file).replace_extension(".sock");
}

bool is_of_this_boot(const AgentEndpoint& endpoint) {
  return endpoint.boot_id == current_boot_id();
}

bool is_elsewhere(const AgentEndpoint& endpoint) {
  return !is_of_this_boot(endpoint) && endpoint.host != host_name();
}

bool is_alive(const AgentEndpoint& endpoint) {
  return endpoint.agent_start_ticks != 0 && is_of_this_boot(endpoint) &&
         process_start_ticks(endpoint.agent_pid) == endpoint.agent_start_ticks;
}

std::string marker_of(const AgentEndpoint& endpoint) {
  return std::to_string(endpoint.agent_pid) + ":" + std::to_string(endpoint.agent_start_ticks) +
         ":" + endpoint.boot_id;
}

AgentEndpoint endpoint_of_this_process() {
  AgentEndpoint endpoint;
  endpoint.agent_pid = ::getpid();
  endpoint.agent_start_ticks = process_start_ticks(endpoint.agent_pid);
  endpoint.boot_id = current_boot_id();
  endpoint.host = host_name();
  return endpoint;
}

}  // namespace ringside::wire
