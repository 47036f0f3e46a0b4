#include "trainer/agent/head_link.h"

#include <utility>

namespace ringside::agent {

using wire::NodeMessage;
using Kind = NodeMessage::Kind;

Result<std::unique_ptr<HeadLink>> HeadLink::open(wire::Authenticator& authenticator,
                                                 const NetworkInterface& interface) {
  auto server = wire::NodeServer::open(authenticator, interface.address);
  if (!server) return pass(server);
  return std::unique_ptr<HeadLink>(new HeadLink(std::move(*server), interface));
}

void HeadLink::gather(std::uint64_t run_token, Node nodes, const NodeLimits& limits,
                      std::int32_t attempt, const MeetingPlace& place, std::int64_t now_ns) {
  if (run_token != run_token_) group_.emplace(nodes, limits);
  run_token_ = run_token;
  nodes_ = nodes;
  attempt_ = attempt;
  place_ = place;
  gathering_ = true;
  group_->gather(attempt, now_ns);
}

std::optional<std::string> HeadLink::serve(std::int64_t now_ns) {
  while (const auto message = server_->receive()) {
    if (group_ && message->run_token == run_token_) take(*message, now_ns);
  }
  if (!group_) return std::nullopt;
  group_->on_tick(now_ns);
  auto why = group_->take_failure();
  if (why) tell_all(Kind::kEndRanks, kEndFailedElsewhere, *why);
  return why;
}

void HeadLink::take(const NodeMessage& message, std::int64_t now_ns) {
  group_->on_heard(message.node, now_ns);
  if (message.kind == Kind::kReady && gathering_) {
    const auto words = ready_of(message.text);
    if (!words) return;
    const bool tried = message.count == 1 && message.attempt == attempt_;
    group_->on_ready(message.node, words->host, tried, tried ? words->trouble : std::string());
    if (!tried) tell(message.node, Kind::kTry, 0, to_text(place_));
  } else if (message.kind == Kind::kReady && message.count == 0) {
    // Started anew while its ranks should run, and has tried nothing yet: they are gone.
    group_->on_over(message.node, attempt_,
                    {messages::State::kFailed, "its agent was started anew", true, {-1, 0}, false},
                    now_ns);
  } else if (message.kind == Kind::kOver && gathering_) {
    tell(message.node, Kind::kTry, 0, to_text(place_));
  } else if (message.kind == Kind::kOver) {
    if (const auto outcome = outcome_of(message.text))
      group_->on_over(message.node, message.attempt, *outcome, now_ns);
  } else if (message.kind == Kind::kTellStop) {
    asked_stop_ = AskedStop{message.text + " on node " + std::to_string(message.node),
                            message.count == kEndNow};
  }
}

void HeadLink::begin(std::int64_t now_ns) {
  gathering_ = false;
  group_->begin(now_ns);
  tell_all(Kind::kBegin, 0, to_text(place_));
}

void HeadLink::stop(const std::string& who, bool now) {
  if (group_) tell_all(Kind::kEndRanks, now ? kEndNow : kEndWithCheckpoint, who);
}

void HeadLink::close(const NodeOutcome& outcome) {
  if (!group_) return;
  tell_all(Kind::kClose, 0, to_text(outcome));
  gathering_ = false;
  group_.reset();
  run_token_ = 0;
}

void HeadLink::tell(Node node, Kind kind, std::uint32_t count, const std::string& text) {
  NodeMessage message{kind, node, attempt_, count, text};
  message.run_token = run_token_;
  // A node that is not there says so by its silence.
  (void)server_->send(message);
}

void HeadLink::tell_all(Kind kind, std::uint32_t count, const std::string& text) {
  for (Node node = 1; node < nodes_; ++node) tell(node, kind, count, text);
}

}  // namespace ringside::agent
