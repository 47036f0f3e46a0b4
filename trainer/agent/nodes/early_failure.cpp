#include "trainer/agent/nodes/early_failure.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/host/host.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/node_link.h"
#include "protocol/wire/poller.h"
#include "trainer/agent/nodes/node_messages.h"
#include "trainer/agent/nodes/not_begun.h"

namespace ringside::agent {
namespace {

using wire::NodeMessage;

constexpr std::int64_t kAgainNs = 100'000'000;

/// Reports the failure of one run. It holds the node's lock of the folder meanwhile, so that it
/// does not contradict an agent that can begin.
class FailureMessage {
 public:
  FailureMessage(runlog::RunFolder folder, Node node, std::string text,
                 std::optional<runlog::FolderLock> lock)
      : folder_(std::move(folder)), node_(node), text_(std::move(text)), lock_(std::move(lock)) {}

  void leave_in_folder() const { leave_not_begun(folder_, node_, text_); }

  // False when no agent of node 0 is running. One that starts later reads the file in the folder.
  bool say(wire::Poller& poller) {
    const auto head = wire::read_agent_endpoint(folder_.agent_path());
    if (head && (!client_ || head->run_token != token_)) connect(*head, poller);
    if (!head || !client_) return false;
    client_->send({Cannot::kKind, node_, 0, 0, text_});
    client_->ping();
    return true;
  }

  // Messages arrive in order, so the reply to the ping means that the message before it arrived.
  bool heard() {
    bool answered = false;
    while (client_ && !answered) {
      const auto answer = client_->receive();
      if (!answer) break;
      answered = answer->kind == NodeMessage::Kind::kPong;
    }
    if (answered) clear_not_begun(folder_, node_);
    return answered;
  }

  void leave(wire::Poller& poller) {
    if (client_) poller.remove(client_->poll_handle());
    client_.reset();
  }

 private:
  void connect(const wire::AgentEndpoint& head, wire::Poller& poller) {
    leave(poller);
    auto client = wire::NodeClient::connect(head, node_);
    if (!client) return;
    client_.emplace(std::move(*client));
    token_ = head.run_token;
    poller.add(client_->poll_handle(), 0);
  }

  runlog::RunFolder folder_;
  Node node_;
  std::string text_;
  std::optional<runlog::FolderLock> lock_;
  std::optional<wire::NodeClient> client_;
  std::uint64_t token_ = 0;
};

using Messages = std::vector<std::unique_ptr<FailureMessage>>;

Messages messages_for(const NodePlace& place, const std::string& text, bool locked) {
  Messages messages;
  for (const auto& path : place.folders) {
    if (nodes_of(path) <= 1) continue;
    runlog::RunFolder folder(path);
    auto lock = runlog::FolderLock::take(folder, place.node);
    const bool taken = !lock && lock.error().kind == ErrorKind::kRequest;
    if (taken && !locked) continue;  // another agent's folder
    messages.push_back(
        std::make_unique<FailureMessage>(std::move(folder), place.node, text,
                                         lock ? std::optional(std::move(*lock)) : std::nullopt));
  }
  return messages;
}

template <class Done>
void drop(Messages& messages, wire::Poller& poller, Done done) {
  std::erase_if(messages, [&](const std::unique_ptr<FailureMessage>& message) {
    const bool dropped = done(*message);
    if (dropped) message->leave(poller);
    return dropped;
  });
}

}  // namespace

void notify_other_nodes(const NodePlace& place, const std::string& why, bool locked,
                        std::int64_t most_ns) {
  const std::string cannot = "cannot begin: " + why;
  const std::string text =
      place.node == 0
          ? encode(
                Close{{messages::State::kFailed, "node 0 (" + host_name() + ") " + cannot, false}},
                0, 0)
                .text
          : encode(Cannot{host_name(), cannot}).text;
  auto messages = messages_for(place, text, locked);
  for (const auto& message : messages) message->leave_in_folder();
  if (place.node == 0) return;
  wire::Poller poller;
  const std::int64_t until_ns = mono_now_ns() + most_ns;
  while (mono_now_ns() < until_ns) {
    drop(messages, poller, [&](FailureMessage& message) { return !message.say(poller); });
    if (messages.empty()) return;
    (void)poller.wait(kAgainNs);
    drop(messages, poller, [](FailureMessage& message) { return message.heard(); });
  }
  for (const auto& message : messages) message->leave(poller);
}

}  // namespace ringside::agent
