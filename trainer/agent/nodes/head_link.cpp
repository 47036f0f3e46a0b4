#include "trainer/agent/nodes/head_link.h"

#include <utility>

namespace ringside::agent {

using wire::NodeMessage;
using Kind = NodeMessage::Kind;

namespace {

HeadLink::AskedStop asked(const NodeMessage& message) {
  return {message.text + " on node " + std::to_string(message.node), message.count == kEndNow};
}

}  // namespace

Result<std::unique_ptr<HeadLink>> HeadLink::open(wire::Authenticator& authenticator,
                                                 const NetworkInterface& interface) {
  auto server = RINGSIDE_TRY(wire::NodeServer::open(authenticator, interface.address));
  return std::unique_ptr<HeadLink>(new HeadLink(std::move(server), interface));
}

void HeadLink::gather(std::uint64_t run_token, Node nodes, const NodeLimits& limits,
                      std::int32_t attempt, const MeetingPlace& place, std::int64_t now_ns) {
  if (run_token != run_token_) group_.emplace(nodes, limits, met_);
  run_token_ = run_token;
  nodes_ = nodes;
  attempt_ = attempt;
  place_ = place;
  gathering_ = true;
  order_.reset();
  group_->gather(attempt, now_ns);
  for (const auto& [who, words] : cannot_) {
    if (who.first == run_token) group_->on_ready(who.second, words.host, false, words.trouble);
  }
  if (const auto early = asked_early_.extract(run_token)) asked_stop_ = early.mapped();
}

std::optional<std::string> HeadLink::serve(std::int64_t now_ns) {
  while (const auto message = server_->receive()) hear(*message, now_ns);
  if (line_) {
    line_->on_tick(now_ns);
    tell_next();
  }
  if (!group_) return std::nullopt;
  group_->on_tick(now_ns);
  auto why = group_->take_failure();
  if (why) order(kEndFailedElsewhere, *why);
  return why;
}

void HeadLink::hear(const NodeMessage& message, std::int64_t now_ns) {
  note_cannot(message);
  if (line_) take_in_line(message, now_ns);
  if (group_ && message.run_token == run_token_) {
    take(message, now_ns);
  } else {
    take_of_other_run(message);
  }
}

void HeadLink::take_in_line(const NodeMessage& message, std::int64_t now_ns) {
  line_->on_heard(message.node, now_ns);
  const auto words = message.kind == Kind::kReady ? ready_of(message.text) : std::nullopt;
  if (!words) return;
  line_->on_ready(message.node, words->host, words->devices, now_ns);
  in_line_[message.node] = message.run_token;
  if (told_ == message.node) told_.reset();  // it may not have heard it
}

void HeadLink::tell_next() {
  const auto next = line_->next();
  if (!next || *next == 0 || next == told_) return;
  NodeMessage message{Kind::kQueue, *next};
  message.run_token = in_line_[*next];
  if (server_->send(message)) told_ = next;
}

void HeadLink::leave_line() {
  met_ = line_ && line_->complete();
  line_.reset();
}

// Notes why a node cannot begin, until another agent of that node says that it can.
void HeadLink::note_cannot(const NodeMessage& message) {
  const std::pair who(message.run_token, message.node);
  if (message.kind == Kind::kReady) cannot_.erase(who);
  if (message.kind != Kind::kCannot) return;
  if (const auto words = ready_of(message.text)) cannot_[who] = *words;
}

std::string HeadLink::cannot(std::uint64_t run_token) const {
  for (const auto& [who, words] : cannot_) {
    if (who.first == run_token)
      return "node " + std::to_string(who.second) + " (" + words.host + ") " + words.trouble;
  }
  return {};
}

// Takes a message about a run that has its turn later, or is over.
void HeadLink::take_of_other_run(const NodeMessage& message) {
  const auto closed = closed_.find(message.run_token);
  if (closed == closed_.end()) {
    if (message.kind == Kind::kTellStop && line_) asked_stop_ = asked(message);
    if (message.kind == Kind::kTellStop && !line_) asked_early_[message.run_token] = asked(message);
  } else if (message.kind == Kind::kReady || message.kind == Kind::kOver) {
    NodeMessage again{Kind::kClose, message.node, message.attempt, 0, closed->second};
    again.run_token = message.run_token;
    (void)server_->send(again);
  }
}

void HeadLink::take(const NodeMessage& message, std::int64_t now_ns) {
  group_->on_heard(message.node, now_ns);
  if (message.kind == Kind::kReady && gathering_) {
    const auto words = ready_of(message.text);
    if (!words) return;
    if (!words->devices) {
      // Another agent than the one that had them: nobody else is in line now.
      group_->on_ready(message.node, words->host, false, {});
      return tell(message.node, Kind::kQueue, 0, {});
    }
    const bool tried = message.count == 1 && message.attempt == attempt_;
    group_->on_ready(message.node, words->host, tried, tried ? words->trouble : std::string());
    if (!tried) tell(message.node, Kind::kTry, 0, to_text(place_));
  } else if (message.kind == Kind::kCannot) {
    const auto words = ready_of(message.text);
    if (!words) return;
    // While its ranks should run: the agent that had started them is gone, and they are.
    group_->on_ready(message.node, words->host, false, words->trouble);
    group_->on_over(message.node, attempt_,
                    {messages::State::kFailed, words->trouble, false, {-1, 0}, false}, now_ns);
  } else if (message.kind == Kind::kReady && message.count == 0) {
    // Started anew while its ranks should run, and has tried nothing yet: they are gone.
    group_->on_over(message.node, attempt_,
                    {messages::State::kFailed, "its agent was started anew", true, {-1, 0}, false},
                    now_ns);
  } else if (message.kind == Kind::kReady && message.attempt == attempt_ &&
             group_->runs(message.node)) {
    tell(message.node, Kind::kBegin, 0, to_text(place_));
  } else if (message.kind == Kind::kPing && order_ && group_->runs(message.node)) {
    tell(message.node, Kind::kEndRanks, order_->how, order_->text);
  } else if (message.kind == Kind::kOver && gathering_) {
    tell(message.node, Kind::kTry, 0, to_text(place_));
  } else if (message.kind == Kind::kOver) {
    if (const auto outcome = outcome_of(message.text))
      group_->on_over(message.node, message.attempt, *outcome, now_ns);
  } else if (message.kind == Kind::kTellStop) {
    asked_stop_ = asked(message);
  }
}

void HeadLink::begin(std::int64_t now_ns) {
  gathering_ = false;
  group_->begin(now_ns);
  tell_all(Kind::kBegin, 0, to_text(place_));
}

void HeadLink::stop(const std::string& who, bool now) {
  if (group_) order(now ? kEndNow : kEndWithCheckpoint, who);
}

void HeadLink::order(std::uint32_t how, const std::string& text) {
  order_ = Order{how, brief(text)};
  tell_all(Kind::kEndRanks, how, order_->text);
}

void HeadLink::close(const NodeOutcome& outcome) {
  if (!group_) return;
  const std::string& told = closed_[run_token_] = to_text(outcome);
  tell_all(Kind::kClose, 0, told);
  gathering_ = false;
  group_.reset();
  run_token_ = 0;
}

void HeadLink::tell(Node node, Kind kind, std::uint32_t count, const std::string& text) {
  NodeMessage message{kind, node, attempt_, count, text};
  message.run_token = run_token_;
  // What a node does not get it is told again when it speaks.
  (void)server_->send(message);
}

void HeadLink::tell_all(Kind kind, std::uint32_t count, const std::string& text) {
  for (Node node = 1; node < nodes_; ++node) tell(node, kind, count, text);
}

}  // namespace ringside::agent
