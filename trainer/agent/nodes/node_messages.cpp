#include "trainer/agent/nodes/node_messages.h"

#include <cstddef>
#include <utility>

#include "trainer/agent/words/json_fields.h"

namespace ringside::agent {
namespace {

using wire::NodeMessage;

template <class Said>
bool makes_sense(const Said& said) {
  if constexpr (std::is_base_of_v<RendezvousAddress, Said>) {
    return !said.address.empty() && said.port > 0 && said.port <= 65535;
  } else if constexpr (std::is_base_of_v<NodeOutcome, Said>) {
    return messages::is_final(said.state);
  }
  return true;
}

template <class Said>
std::string payload_of(const Said& said) {
  std::string text;
  if constexpr (HasFields<Said>) {
    auto json = to_json(said);
    for (auto& value : json) {
      if (value.is_string()) value = brief(value);
    }
    text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } else if constexpr (requires { said.text; }) {
    text = said.text;
  }
  return text;
}

template <class Said>
bool read(const NodeMessage& message, Said& said) {
  if constexpr (requires { said.tried; }) said.tried = message.count == 1;
  if constexpr (requires { said.how; }) said.how = static_cast<EndHow>(message.count);
  if constexpr (HasFields<Said>) {
    const auto json = nlohmann::json::parse(message.text, nullptr, false);
    // Defaults are for missing keys; these keys must be present.
    if constexpr (requires { said.address; }) said.address.clear();
    if constexpr (requires { said.state; }) said.state = messages::State::kQueued;
    (void)read_json(json, said);
    return json.is_object() && makes_sense(said);
  } else if constexpr (requires { said.text; }) {
    said.text = message.text;
  }
  return true;
}

template <class Variant>
NodeMessage encode_any(const Variant& any, Node node, std::int32_t attempt) {
  return std::visit(
      [&](const auto& said) {
        NodeMessage message{said.kKind, node, attempt, 0, payload_of(said)};
        if constexpr (requires { said.tried; }) message.count = said.tried ? 1 : 0;
        if constexpr (requires { said.how; }) message.count = static_cast<std::uint32_t>(said.how);
        return message;
      },
      any);
}

template <class... Said>
void decode_any(const NodeMessage& message, std::optional<std::variant<Said...>>& found) {
  const auto attempt = [&](auto said) {
    if (said.kKind == message.kind && read(message, said)) found = std::move(said);
  };
  (attempt(Said{}), ...);
}

}  // namespace

NodeMessage encode(const ToHead& said, Node node, std::int32_t attempt) {
  return encode_any(said, node, attempt);
}

NodeMessage encode(const ToMember& said, Node node, std::int32_t attempt) {
  return encode_any(said, node, attempt);
}

std::optional<ToHead> decode_to_head(const NodeMessage& message) {
  std::optional<ToHead> said;
  decode_any(message, said);
  return said;
}

std::optional<ToMember> decode_to_member(const NodeMessage& message) {
  std::optional<ToMember> said;
  decode_any(message, said);
  return said;
}

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

}  // namespace ringside::agent
