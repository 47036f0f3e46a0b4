#include "trainer/agent/tasks/task_messages.h"

#include <optional>
#include <utility>

#include "trainer/agent/words/json_fields.h"

namespace ringside::agent {
namespace {

using Json = nlohmann::json;

constexpr const char* kIs = "is";

template <class... Message>
void read_any(const Json& json, std::optional<std::variant<Message...>>& found) {
  const auto attempt = [&](auto message) {
    if (json[kIs] == message.kName && read_json(json, message)) found = std::move(message);
  };
  (attempt(Message{}), ...);
}

}  // namespace

std::vector<std::uint8_t> encode(const TaskMessage& message) {
  return std::visit(
      [](const auto& one) {
        Json json = to_json(one);
        json[kIs] = one.kName;
        return Json::to_cbor(json);
      },
      message);
}

Result<TaskMessage> decode(std::span<const std::uint8_t> bytes) {
  const Json json = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
  std::optional<TaskMessage> message;
  if (json.is_object() && json.contains(kIs)) read_any(json, message);
  if (!message) return failure("what came is no message between agent and task");
  return std::move(*message);
}

}  // namespace ringside::agent
