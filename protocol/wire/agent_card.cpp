#include "protocol/wire/agent_card.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "protocol/base/byte_file.h"
#include "protocol/base/host.h"

namespace ringside::wire {
namespace {

using Json = nlohmann::json;

constexpr int kCardVersion = 1;
constexpr std::size_t kKeyCharacters = 40;
constexpr std::string_view kLoopback = "tcp://127.0.0.1:";

std::string token_text(std::uint64_t token) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(token));
  return text.data();
}

bool read_token(const std::string& text, std::uint64_t& token) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, token, 16);
  return text.size() == 16 && parsed.ec == std::errc{} && parsed.ptr == end;
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

// Which part of a card cannot be right; empty when all can.
std::string wrong_part(const AgentCard& card) {
  if (!card.telemetry_endpoint.starts_with(kLoopback)) return "telemetry_endpoint";
  if (!card.viewer_endpoint.starts_with(kLoopback)) return "viewer_endpoint";
  if (card.server_public_key.size() != kKeyCharacters) return "server_public_key";
  if (card.client_public_key.size() != kKeyCharacters) return "client_public_key";
  if (card.client_secret_key.size() != kKeyCharacters) return "client_secret_key";
  if (card.agent_pid <= 0) return "agent_pid";
  return {};
}

tl::unexpected<Error> unusable(const std::filesystem::path& path, const std::string& why) {
  return failure("cannot use " + path.string() + ": " + why +
                 "; its agent writes it anew at its start");
}

}  // namespace

Result<void> write_card(const std::filesystem::path& path, const AgentCard& card) {
  Json json;
  json["version"] = kCardVersion;
  json["run_id"] = card.run_id;
  json["telemetry_endpoint"] = card.telemetry_endpoint;
  json["viewer_endpoint"] = card.viewer_endpoint;
  json["server_public_key"] = card.server_public_key;
  json["client_public_key"] = card.client_public_key;
  json["client_secret_key"] = card.client_secret_key;
  json["run_token"] = token_text(card.run_token);
  json["agent_pid"] = card.agent_pid;
  json["agent_start_ticks"] = card.agent_start_ticks;
  json["boot_id"] = card.boot_id;
  json["host"] = card.host;
  const auto replace = Json::error_handler_t::replace;
  return write_text_atomically(path, json.dump(2, ' ', false, replace) + "\n");
}

Result<AgentCard> read_card(const std::filesystem::path& path) {
  const auto text = read_text(path, std::size_t{64} << 10);
  if (!text) return pass(text);
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return unusable(path, "it is no JSON object");
  if (number_of<int>(json, "version") != kCardVersion) {
    return unusable(path, "its version is not " + std::to_string(kCardVersion));
  }
  AgentCard card;
  card.run_id = text_of(json, "run_id");
  card.telemetry_endpoint = text_of(json, "telemetry_endpoint");
  card.viewer_endpoint = text_of(json, "viewer_endpoint");
  card.server_public_key = text_of(json, "server_public_key");
  card.client_public_key = text_of(json, "client_public_key");
  card.client_secret_key = text_of(json, "client_secret_key");
  card.agent_pid = number_of<std::int32_t>(json, "agent_pid");
  card.agent_start_ticks = number_of<std::uint64_t>(json, "agent_start_ticks");
  card.boot_id = text_of(json, "boot_id");
  card.host = text_of(json, "host");
  if (!read_token(text_of(json, "run_token"), card.run_token))
    return unusable(path, "its run_token is wrong");
  const std::string wrong = wrong_part(card);
  if (!wrong.empty()) return unusable(path, "its " + wrong + " is missing or wrong");
  return card;
}

bool is_alive(const AgentCard& card) {
  return card.agent_start_ticks != 0 && card.boot_id == current_boot_id() &&
         process_start_ticks(card.agent_pid) == card.agent_start_ticks;
}

std::uint64_t process_start_ticks(std::int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  // The second field is the name in parentheses and may hold anything, parentheses and spaces too;
  // proc(5).
  const std::size_t after_name = line.rfind(") ");
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(line.substr(after_name + 2));
  std::string field;
  fields >> field;  // field 3, the state
  if (field == "Z" || field == "X") return 0;
  for (int number = 4; number < 22; ++number) fields >> field;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return fields ? ticks : 0;
}

AgentCard card_of_this_process() {
  AgentCard card;
  card.agent_pid = ::getpid();
  card.agent_start_ticks = process_start_ticks(card.agent_pid);
  card.boot_id = current_boot_id();
  card.host = host_name();
  return card;
}

}  // namespace ringside::wire
