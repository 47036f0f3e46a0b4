#include "trainer/agent/nodes/head_link.h"

#include <utility>

namespace ringside::agent {

using wire::NodeMessage;

namespace {

HeadLink::AskedStop asked(const StopOrder& stop, const NodeMessage& message) {
  return {stop.text + " on node " + std::to_string(message.node), stop.how == EndHow::kNow};
}

}  // namespace

Result<std::unique_ptr<HeadLink>> HeadLink::open(wire::Authenticator& authenticator,
                                                 const NetworkInterface& interface) {
  auto server = RINGSIDE_TRY(wire::NodeServer::open(authenticator, interface.address));
  return std::unique_ptr<HeadLink>(new HeadLink(std::move(server), interface));
}

void HeadLink::gather(std::uint64_t run_token, Node nodes, const NodeLimits& limits,
                      std::int32_t attempt, const RendezvousAddress& place, std::int64_t now_ns) {
  if (run_token != run_token_) group_.emplace(nodes, limits, met_);
  run_token_ = run_token;
  nodes_ = nodes;
  attempt_ = attempt;
  place_ = place;
  gathering_ = true;
  order_.reset();
  group_->gather(attempt, now_ns);
  for (const auto& [who, cannot] : cannot_) {
    if (who.first == run_token) group_->on_ready(who.second, cannot.host, false, cannot.trouble);
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
  if (why) order(EndHow::kFailedElsewhere, *why);
  return why;
}

void HeadLink::hear(const NodeMessage& message, std::int64_t now_ns) {
  const auto said = decode_to_head(message);
  if (!said) return;
  note_cannot(*said, message);
  if (line_) take_in_line(*said, message, now_ns);
  if (!group_ || message.run_token != run_token_) return take_of_other_run(*said, message);
  group_->on_message(message.node, now_ns);
  std::visit([&](const auto& one) { take(one, message, now_ns); }, *said);
}

void HeadLink::take_in_line(const ToHead& said, const NodeMessage& message, std::int64_t now_ns) {
  line_->on_message(message.node, now_ns);
  const auto* ready = std::get_if<Ready>(&said);
  if (ready == nullptr) return;
  line_->on_ready(message.node, ready->host, ready->devices, now_ns);
  in_line_[message.node] = message.run_token;
  if (told_ == message.node) told_.reset();  // it may not have received the message
}

void HeadLink::tell_next() {
  const auto next = line_->next();
  if (!next || *next == 0 || next == told_) return;
  if (send(in_line_[*next], encode(Queue{}, *next, 0))) told_ = next;
}

void HeadLink::leave_line() {
  met_ = line_ && line_->complete();
  line_.reset();
}

// Stores why a node cannot begin, until an agent of that node says that it can.
void HeadLink::note_cannot(const ToHead& said, const NodeMessage& message) {
  const std::pair who(message.run_token, message.node);
  if (std::holds_alternative<Ready>(said)) cannot_.erase(who);
  if (const auto* cannot = std::get_if<Cannot>(&said)) cannot_[who] = *cannot;
}

std::string HeadLink::cannot(std::uint64_t run_token) const {
  for (const auto& [who, cannot] : cannot_) {
    if (who.first == run_token)
      return "node " + std::to_string(who.second) + " (" + cannot.host + ") " + cannot.trouble;
  }
  return {};
}

// Handles a message about a run that comes later or is over.
void HeadLink::take_of_other_run(const ToHead& said, const NodeMessage& message) {
  const auto closed = closed_.find(message.run_token);
  const auto* stop = std::get_if<StopOrder>(&said);
  if (closed != closed_.end()) {
    if (std::holds_alternative<Ready>(said) || std::holds_alternative<Over>(said))
      (void)send(message.run_token, encode(closed->second, message.node, message.attempt));
  } else if (stop != nullptr && line_) {
    asked_stop_ = asked(*stop, message);
  } else if (stop != nullptr) {
    asked_early_[message.run_token] = asked(*stop, message);
  }
}

void HeadLink::take(const Ping& /*ping*/, const NodeMessage& message, std::int64_t /*now_ns*/) {
  if (order_ && group_->runs(message.node)) tell(message.node, *order_);
}

void HeadLink::take(const Ready& ready, const NodeMessage& message, std::int64_t now_ns) {
  const bool tried = ready.tried && message.attempt == attempt_;
  if (gathering_ && !ready.devices) {
    // This is a new agent of that node, which lost the devices; no other node is queueing now.
    group_->on_ready(message.node, ready.host, false, {});
    tell(message.node, Queue{});
  } else if (gathering_) {
    group_->on_ready(message.node, ready.host, tried, tried ? ready.trouble : std::string());
    if (!tried) tell(message.node, Try{place_});
  } else if (!ready.tried) {
    // A restarted agent that has not tried the address yet: the ranks it had started are gone.
    group_->on_over(message.node, attempt_,
                    {messages::State::kFailed, "its agent was restarted", true, {-1, 0}, false},
                    now_ns);
  } else if (tried && group_->runs(message.node)) {
    tell(message.node, Begin{place_});
  }
}

// The agent of a node that should be running its ranks has been replaced, so they are gone.
void HeadLink::take(const Cannot& cannot, const NodeMessage& message, std::int64_t now_ns) {
  group_->on_ready(message.node, cannot.host, false, cannot.trouble);
  group_->on_over(message.node, attempt_,
                  {messages::State::kFailed, cannot.trouble, false, {-1, 0}, false}, now_ns);
}

void HeadLink::take(const Over& over, const NodeMessage& message, std::int64_t now_ns) {
  if (gathering_) return tell(message.node, Try{place_});
  group_->on_over(message.node, message.attempt, over, now_ns);
}

void HeadLink::take(const StopOrder& stop, const NodeMessage& message, std::int64_t /*now_ns*/) {
  asked_stop_ = asked(stop, message);
}

void HeadLink::begin(std::int64_t now_ns) {
  gathering_ = false;
  group_->begin(now_ns);
  tell_all(Begin{place_});
}

void HeadLink::stop(const std::string& who, bool now) {
  if (group_) order(now ? EndHow::kNow : EndHow::kWithCheckpoint, who);
}

void HeadLink::order(EndHow how, const std::string& text) {
  order_ = EndRanks{how, brief(text)};
  tell_all(*order_);
}

void HeadLink::close(const NodeOutcome& outcome) {
  if (!group_) return;
  tell_all(closed_[run_token_] = Close{outcome});
  gathering_ = false;
  group_.reset();
  run_token_ = 0;
}

// A node that misses a message gets it again when it sends something.
void HeadLink::tell(Node node, const ToMember& said) {
  (void)send(run_token_, encode(said, node, attempt_));
}

void HeadLink::tell_all(const ToMember& said) {
  for (Node node = 1; node < nodes_; ++node) tell(node, said);
}

bool HeadLink::send(std::uint64_t run_token, wire::NodeMessage message) {
  message.run_token = run_token;
  return server_->send(message);
}

}  // namespace ringside::agent
