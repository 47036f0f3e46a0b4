#include "trainer/agent/nodes/member_link.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "protocol/host/host.h"
#include "protocol/host/network.h"
#include "trainer/agent/nodes/not_begun.h"

namespace ringside::agent {
namespace {

using Phase = MemberPhase;
using Event = MemberEvent;
using wire::NodeMessage;

constexpr std::int64_t kEndpointCheckNs = kSecondNs / 4;  // between reads of node 0's agent.json
// How long node 0's agent is searched for.
constexpr std::int64_t kSeekNs = 600 * kSecondNs;
constexpr std::int64_t kComesUpNs = 30 * kSecondNs;     // maximum startup time of an agent
constexpr std::int64_t kReachNs = 5 * kSecondNs;        // for connecting to the rendezvous address
constexpr std::int64_t kFirstPingsNs = kSecondNs / 20;  // until the clock offset is known

}  // namespace

MemberLink::MemberLink(runlog::RunFolder folder, Node node, const Head& head, wire::Poller& poller,
                       std::int32_t tag)
    : folder_(std::move(folder)), node_(node), head_(head), poller_(poller), tag_(tag) {
  ready_.host = host_name();
  ready_.devices = head.devices;
}

MemberLink::~MemberLink() { leave(); }

void MemberLink::leave() {
  if (client_) poller_.remove(client_->poll_handle());
  client_.reset();
}

// Node 0's file may belong to an agent that is gone; a different token means a different agent.
void MemberLink::seek(std::int64_t now_ns) {
  if (since_ns_ == 0) since_ns_ = now_ns;
  if (looked_ns_ != 0 && now_ns - looked_ns_ < kEndpointCheckNs) return;
  looked_ns_ = now_ns;
  const auto head = wire::read_agent_endpoint(folder_.agent_path());
  if (head_did_not_begin(now_ns) || left_this_run(head, now_ns)) return;
  if (!head || (client_ && head->run_token == token_)) {
    if (phase_ == Phase::kSeeking && now_ns - since_ns_ > kSeekNs) give_up(now_ns);
    return;
  }
  leave();
  auto client = wire::NodeClient::connect(*head, node_);
  if (!client) return;
  client_.emplace(std::move(*client));
  poller_.add(client_->poll_handle(), tag_);
  if (token_ != 0 && head_.in_line) {
    ready_.devices = told_to_queue_ = false;
    new_head_ = true;
  }
  token_ = head->run_token;
  clock_ = {};
  ready_.tried = false;
  last_record_ns_ = now_ns;
}

// Whether node 0's agent started and ended between two polls of its file, judging by its log, which
// stays. A starting agent may query the driver between its first log record and its file.
bool MemberLink::head_came_and_went(std::int64_t now_ns) {
  std::error_code none;
  const std::uintmax_t found = std::filesystem::file_size(folder_.log_path(0), none);
  const std::uintmax_t bytes = none ? 0 : found;
  if (log_bytes_ && bytes != *log_bytes_) wrote_ns_ = now_ns;
  log_bytes_ = bytes;
  return wrote_ns_ != 0 && now_ns - wrote_ns_ > kComesUpNs;
}

bool MemberLink::head_did_not_begin(std::int64_t now_ns) {
  const auto left = read_not_begun(folder_, 0, node_, now_ns - since_ns_);
  const auto said = left ? decode_to_member({Close::kKind, node_, 0, 0, *left}) : std::nullopt;
  if (!said) return false;
  end(Event::kClose, std::get<Close>(*said));
  return true;
}

// Node 0 removes its file when a run is over, even if it never began. An agent that was killed
// leaves the file behind and may be restarted on its host.
bool MemberLink::left_this_run(const Result<wire::AgentEndpoint>& head, std::int64_t now_ns) {
  const bool unseen = head_came_and_went(now_ns);
  const bool withdrawn = !head && (client_ || head_.met || unseen);
  const bool dead = head && head_.on_this_host && !wire::is_alive(*head);
  if (!withdrawn && !dead) left_ns_ = 0;
  if (!withdrawn && !dead) return false;
  if (left_ns_ == 0) left_ns_ = now_ns;
  if (now_ns - left_ns_ < kSecondNs) return false;  // its last messages may still arrive
  if (withdrawn) {
    end(Event::kClose, {messages::State::kStopped, "node 0 ended the run before it began here"});
  } else {
    end(Event::kLose,
        {messages::State::kFailed, "node 0 is gone: its agent does not run any more"});
  }
  return true;
}

bool MemberLink::goes(Event event) {
  const auto after = phase_after(phase_, event);
  phase_ = after.value_or(phase_);
  return after.has_value();
}

void MemberLink::end(Event event, NodeOutcome verdict) {
  if (goes(event)) verdict_ = std::move(verdict);
}

void MemberLink::serve(std::int64_t now_ns) {
  if (waits()) seek(now_ns);
  if (!client_ || decided()) return;
  while (const auto message = client_->receive()) {
    last_record_ns_ = now_ns;
    const Phase before = phase_;
    auto said = decode_to_member(*message);
    // An unreadable message about the end of the run still means that it is over.
    if (!said && message->kind == Close::kKind) said = Close{};
    if (said) std::visit([&](const auto& one) { take(one, *message); }, *said);
    // The ended attempt is concluded before the next one begins.
    if (decided() || (before == Phase::kOver && phase_ != before)) return;
  }
  if (now_ns - pinged_ns_ >= (clock_.known() ? kSecondNs : kFirstPingsNs)) {
    pinged_ns_ = now_ns;
    client_->ping();
  }
  // A node is not ready until its clock offset is known, so that even its first records can be
  // ordered among those of other nodes.
  if (now_ns - said_ns_ >= kSecondNs && ((waits() && clock_.known()) || phase_ == Phase::kOver)) {
    said_ns_ = now_ns;
    say(phase_ == Phase::kOver ? ToHead(over_) : ready_);
  }
  const bool at_end = ending_ || phase_ == Phase::kOver;
  const std::int64_t limit_ns = at_end ? head_.limits.silent_at_end_ns : head_.limits.silent_ns;
  if (phase_ != Phase::kSeeking && now_ns - last_record_ns_ > limit_ns) give_up(now_ns);
}

void MemberLink::take(const Pong& /*pong*/, const NodeMessage& message) {
  clock_.add(message.sent_ns, message.peer_ns, message.received_ns);
  head_.met = true;
  goes(Event::kHeard);
}

void MemberLink::take(const Queue& /*queue*/, const NodeMessage& /*message*/) {
  told_to_queue_ = !ready_.devices;
}

// Blocks for some seconds at most, while nothing runs on this node.
void MemberLink::take(const Try& place, const NodeMessage& message) {
  if (!goes(Event::kTry)) return;
  place_ = place;
  attempt_ = message.attempt;
  ready_.tried = true;
  const auto reached = reach(place_.address, place_.port, kReachNs);
  ready_.trouble = reached
                       ? std::string()
                       : "does not reach node 0 at " + place_.address + ":" +
                             std::to_string(place_.port) + ": " + reached.error().message +
                             "; choose another interface with devices.interface, or open the ports "
                             "between the nodes";
  say(ready_);
}

void MemberLink::take(const Begin& /*place*/, const NodeMessage& message) {
  if (!ready_.tried || message.attempt != attempt_ || !goes(Event::kBegin)) return;
  ending_ = ready_.tried = false;
  order_.reset();
}

void MemberLink::take(const EndRanks& order, const NodeMessage& /*message*/) { order_ = order; }

void MemberLink::take(const Close& close, const NodeMessage& /*message*/) {
  end(Event::kClose, close);
}

void MemberLink::report(const NodeOutcome& outcome, std::int64_t now_ns) {
  if (!goes(Event::kEnded)) return;
  over_ = {outcome};
  said_ns_ = now_ns;
  say(over_);
}

void MemberLink::has_devices() {
  if (std::exchange(ready_.devices, true)) return;
  if (phase_ == Phase::kReady) say(ready_);
}

void MemberLink::request_stop(const std::string& who, bool now) {
  say(StopOrder{now ? EndHow::kNow : EndHow::kWithCheckpoint, who});
}

void MemberLink::say(const ToHead& said) {
  if (client_) client_->send(encode(said, node_, attempt_));
}

void MemberLink::give_up(std::int64_t now_ns) {
  const bool came = phase_ != Phase::kSeeking;
  const std::int64_t silent_s = (now_ns - (came ? last_record_ns_ : since_ns_)) / kSecondNs;
  end(Event::kLose, {messages::State::kFailed,
                     came ? "node 0 is gone: no message came from its agent for " +
                                std::to_string(silent_s) + " s"
                          : "node 0 did not come: no agent was there within " +
                                std::to_string(silent_s) + " s; start it with --node 0"});
}

}  // namespace ringside::agent
