#include "trainer/agent/nodes/early_failure.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/host.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/node_link.h"
#include "protocol/wire/poller.h"
#include "trainer/agent/nodes/node_words.h"

namespace ringside::agent {
namespace {

using wire::NodeMessage;

constexpr std::int64_t kAgainNs = 100'000'000;

/// Of one run. Its lock is held meanwhile: no agent that can begin is contradicted.
class Message {
 public:
  Message(runlog::RunFolder folder, std::optional<runlog::FolderLock> lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  void say(Node node, const std::string& text, wire::Poller& poller) {
    const auto head = wire::read_agent_endpoint(folder_.agent_path());
    if (head && (!client_ || head->run_token != token_)) connect(*head, node, poller);
    if (!client_) return;
    client_->send({NodeMessage::Kind::kCannot, node, 0, 0, text});
    client_->ping();
  }

  // What is said comes in order: an answer to the ping behind it means that it came.
  bool heard(wire::Poller& poller) {
    bool answered = false;
    while (client_ && !answered) {
      const auto answer = client_->receive();
      if (!answer) break;
      answered = answer->kind == NodeMessage::Kind::kPong;
    }
    if (answered) leave(poller);
    return answered;
  }

  void leave(wire::Poller& poller) {
    if (client_) poller.remove(client_->poll_handle());
    client_.reset();
  }

 private:
  void connect(const wire::AgentEndpoint& head, Node node, wire::Poller& poller) {
    leave(poller);
    auto client = wire::NodeClient::connect(head, node);
    if (!client) return;
    client_.emplace(std::move(*client));
    token_ = head.run_token;
    poller.add(client_->poll_handle(), 0);
  }

  runlog::RunFolder folder_;
  std::optional<runlog::FolderLock> lock_;
  std::optional<wire::NodeClient> client_;
  std::uint64_t token_ = 0;
};

std::vector<std::unique_ptr<Message>> messages_for(const NodePlace& place) {
  std::vector<std::unique_ptr<Message>> messages;
  for (const auto& path : place.folders) {
    runlog::RunFolder folder(path);
    auto lock = runlog::FolderLock::take(folder, place.node);
    if (!lock && lock.error().kind == ErrorKind::kRequest) continue;  // another agent's
    messages.push_back(std::make_unique<Message>(
        std::move(folder), lock ? std::optional(std::move(*lock)) : std::nullopt));
  }
  return messages;
}

}  // namespace

void tell_node_0(const NodePlace& place, const std::string& why, std::int64_t most_ns) {
  if (place.node == 0) return;
  const std::string text = to_text(ReadyWords{host_name(), "cannot begin: " + why});
  wire::Poller poller;
  auto messages = messages_for(place);
  const std::int64_t until_ns = mono_now_ns() + most_ns;
  while (!messages.empty() && mono_now_ns() < until_ns) {
    for (const auto& message : messages) message->say(place.node, text, poller);
    (void)poller.wait(kAgainNs);
    std::erase_if(messages,
                  [&](const std::unique_ptr<Message>& message) { return message->heard(poller); });
  }
  for (const auto& message : messages) message->leave(poller);
}

}  // namespace ringside::agent
