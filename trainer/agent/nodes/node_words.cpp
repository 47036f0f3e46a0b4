#include "trainer/agent/nodes/node_words.h"

#include <nlohmann/json.hpp>

#include "protocol/messages/states.h"

namespace ringside::agent {
namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Json> object_of(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::string word(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int>() : 0;
}

bool flag(const Json& json, const char* key, bool otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

}  // namespace

std::string brief(const std::string& text) {
  constexpr std::size_t kMost = 4096;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + " ...";
}

std::string name_nodes(const std::vector<Node>& nodes) {
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) text += i + 1 == nodes.size() ? " and " : ", ";
    text += std::to_string(nodes[i]);
  }
  return text;
}

std::string to_text(const MeetingPlace& place) {
  return dump({{"address", place.address}, {"port", place.port}});
}

std::string to_text(const ReadyWords& words) {
  return dump(
      {{"host", words.host}, {"trouble", brief(words.trouble)}, {"devices", words.devices}});
}

std::string to_text(const NodeOutcome& outcome) {
  return dump({{"state", static_cast<int>(outcome.state)},
               {"text", brief(outcome.text)},
               {"started", outcome.started},
               {"exit_code", outcome.status.exit_code},
               {"signal", outcome.status.signal},
               {"blames_a_peer", outcome.blames_a_peer}});
}

std::optional<MeetingPlace> place_of(const std::string& text) {
  const auto json = object_of(text);
  if (!json) return std::nullopt;
  MeetingPlace place{word(*json, "address"), number(*json, "port")};
  if (place.address.empty() || place.port <= 0 || place.port > 65535) return std::nullopt;
  return place;
}

std::optional<ReadyWords> ready_of(const std::string& text) {
  const auto json = object_of(text);
  if (!json) return std::nullopt;
  return ReadyWords{word(*json, "host"), word(*json, "trouble"), flag(*json, "devices", true)};
}

std::optional<NodeOutcome> outcome_of(const std::string& text) {
  const auto json = object_of(text);
  if (!json) return std::nullopt;
  const auto state = static_cast<messages::State>(number(*json, "state"));
  if (!messages::is_final(state)) return std::nullopt;
  return NodeOutcome{state,
                     word(*json, "text"),
                     flag(*json, "started", true),
                     {number(*json, "exit_code"), number(*json, "signal")},
                     flag(*json, "blames_a_peer", false)};
}

}  // namespace ringside::agent
