#include "trainer/agent/nodes/node_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/messages/silence.h"
#include "trainer/agent/nodes/node_messages.h"

namespace ringside::agent {
namespace {

using messages::State;

constexpr std::int64_t kPingNs = kSecondNs;  // a node that is alive sends at least this often

bool is_bad(State state) { return state == State::kFailed || state == State::kDidNotDie; }

}  // namespace

NodeLimits node_limits(double stall_s) {
  NodeLimits limits;
  limits.silent_ns = std::clamp(static_cast<std::int64_t>(stall_s * 1e9), messages::kLeastSilenceNs,
                                limits.silent_ns);
  limits.silent_at_end_ns = std::min(limits.silent_at_end_ns, limits.silent_ns);
  return limits;
}

NodeGroup::NodeGroup(Node nodes, const NodeLimits& limits, bool met)
    : members_(static_cast<std::size_t>(nodes)), limits_(limits), again_(met) {}

void NodeGroup::gather(std::int32_t attempt, std::int64_t now_ns) {
  attempt_ = attempt;
  gathers_ns_ = now_ns;
  again_ = again_ || running_;
  running_ = ending_ = told_failure_ = false;
  failure_.reset();
  failed_.clear();
  failed_ns_ = kNotYet;
  for (Member& member : members_)
    member = {member.host, false, false, false, false, false, {}, now_ns, {}};
}

void NodeGroup::on_message(Node node, std::int64_t now_ns) {
  at(node).last_record_ns = std::max(at(node).last_record_ns, now_ns);
}

void NodeGroup::on_ready(Node node, const std::string& host, bool reached,
                         const std::string& trouble) {
  Member& member = at(node);
  member.host = host;
  if (running_) return;
  member.there = true;
  member.reached = reached && trouble.empty();
  member.trouble = trouble;
}

bool NodeGroup::lost_a_node() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.gone; });
}

bool NodeGroup::gathered() const {
  return std::all_of(members_.begin() + 1, members_.end(),
                     [](const Member& member) { return member.reached; });
}

std::string NodeGroup::trouble() const {
  for (Node node = 1; node < nodes(); ++node) {
    if (!at(node).trouble.empty()) return name_of(node) + " " + at(node).trouble;
  }
  return {};
}

std::string NodeGroup::waiting_for() const {
  std::vector<Node> missing;
  for (Node node = 1; node < nodes(); ++node) {
    if (!at(node).there) missing.push_back(node);
  }
  if (missing.empty()) return {};
  return fmt::format("waits for {} of {}", name_nodes(missing), nodes());
}

void NodeGroup::begin(std::int64_t now_ns) {
  running_ = true;
  for (Member& member : members_) member.last_record_ns = now_ns;
}

void NodeGroup::note_failure(Node node, const std::string& text, std::int64_t now_ns) {
  if (!at(node).outcome.blames_a_peer) failed_ns_ = std::min(failed_ns_, now_ns);
  if (std::find(failed_.begin(), failed_.end(), node) == failed_.end()) failed_.push_back(node);
  if (std::exchange(told_failure_, true)) return;
  failure_ = node == 0 ? text : name_of(node) + ": " + text;
}

// Uses the shorter limit of silence from now on, but leaves each node at least half of it.
void NodeGroup::begin_ending(std::int64_t now_ns) {
  if (std::exchange(ending_, true)) return;
  for (Member& member : members_)
    member.last_record_ns = std::max(member.last_record_ns, now_ns - limits_.silent_at_end_ns / 2);
}

void NodeGroup::on_over(Node node, std::int32_t attempt, const NodeOutcome& outcome,
                        std::int64_t now_ns) {
  if (!running_ || attempt != attempt_ || at(node).ended) return;
  at(node).ended = true;
  // The run failed because of the lost node; a good result after its return does not change that.
  const bool came_back = std::exchange(at(node).gone, false);
  if (!came_back || is_bad(outcome.state)) at(node).outcome = outcome;
  at(node).left_first = outcome.state == State::kFinished && failed_.empty();
  begin_ending(now_ns);
  if (is_bad(outcome.state)) note_failure(node, outcome.text, now_ns);
}

void NodeGroup::on_own_failure(const Failure& failure, bool blames_a_peer, std::int64_t now_ns) {
  Member& own = members_.front();
  if (!running_ || own.ended) return;
  own.outcome = {State::kFailed, failure.text, failure.started, failure.status, blames_a_peer};
  begin_ending(now_ns);
  note_failure(0, failure.text, now_ns);
}

void NodeGroup::on_own_over(const NodeOutcome& outcome, std::int64_t now_ns) {
  Member& own = members_.front();
  if (own.ended) return;
  own.ended = true;
  own.outcome = outcome;
  own.left_first = outcome.state == State::kFinished && failed_.empty();
  begin_ending(now_ns);
  if (is_bad(outcome.state)) note_failure(0, outcome.text, now_ns);
}

// A node that falls silent while others are missing no longer counts as present.
void NodeGroup::miss(std::int64_t now_ns) {
  const bool late = again_ && now_ns - gathers_ns_ >= limits_.return_ns;
  for (Node node = 1; node < nodes(); ++node) {
    Member& member = at(node);
    if (now_ns - member.last_record_ns >= limits_.silent_ns) member.there = member.reached = false;
    if (late && !member.reached && member.trouble.empty())
      member.trouble = fmt::format("did not come back within {} s", limits_.return_ns / kSecondNs);
  }
}

void NodeGroup::on_tick(std::int64_t now_ns) {
  if (!running_) return miss(now_ns);
  // A node whose ranks continue is waited for, since it keeps sending pings.
  const std::int64_t limit_ns = ending_ ? limits_.silent_at_end_ns : limits_.silent_ns;
  for (Node node = 1; node < nodes(); ++node) {
    Member& member = at(node);
    const std::int64_t silent_ns = now_ns - member.last_record_ns;
    if (member.ended || member.gone || silent_ns < limit_ns) continue;
    member.gone = true;
    member.gone_first = member.last_record_ns - kPingNs <= failed_ns_;
    member.outcome = {State::kFailed,
                      fmt::format("no message came from its agent for {} s: it or its machine is "
                                  "gone",
                                  silent_ns / kSecondNs),
                      true,
                      {-1, 0},
                      false};
    begin_ending(now_ns);
    note_failure(node, member.outcome.text, now_ns);
  }
}

std::optional<std::string> NodeGroup::take_failure() { return std::exchange(failure_, {}); }

bool NodeGroup::over() const {
  return running_ && members_.front().ended &&
         std::all_of(members_.begin() + 1, members_.end(),
                     [](const Member& member) { return member.ended || member.gone; });
}

// The outcome is judged as for the ranks of one node: a node that only reports a broken connection
// is a victim, whatever the times say. So is a node that fails while another is gone: NCCL's
// watchdog may abort a rank whose collective waits for the lost node long before the silence limit.
// A node that was alive after a failure did not cause it.
NodeOutcome NodeGroup::outcome() const {
  const auto named = [this](Node node) {
    NodeOutcome outcome = at(node).outcome;
    outcome.text = name_of(node) + ": " + outcome.text;
    return outcome;
  };
  for (Node node = 0; node < nodes(); ++node) {
    if (at(node).outcome.state == State::kDidNotDie && at(node).ended) return named(node);
  }
  if (!failed_.empty()) {
    const auto order = [this](Node node) {
      return std::tuple(!at(node).gone_first, at(node).outcome.blames_a_peer);
    };
    const Node first = *std::min_element(failed_.begin(), failed_.end(),
                                         [&](Node a, Node b) { return order(a) < order(b); });
    const auto leaver = early_leaver();
    if (!leaver || at(first).gone || !at(first).outcome.blames_a_peer) return named(first);
    NodeOutcome outcome = at(first).outcome;
    outcome.blames_a_peer = false;
    outcome.text = fmt::format(
        "{}: its ranks ended with exit code 0 while {} waited for them; likely an uneven number of "
        "batches per rank, or a program that not every rank runs alike",
        name_of(*leaver), name_of(first));
    return outcome;
  }
  for (const Member& member : members_) {
    if (member.outcome.state != State::kFinished) return member.outcome;
  }
  return members_.front().outcome;
}

std::optional<Node> NodeGroup::early_leaver() const {
  for (Node node = 0; node < nodes(); ++node) {
    if (at(node).left_first) return node;
  }
  return std::nullopt;
}

std::string NodeGroup::name_of(Node node) const {
  const std::string& host = at(node).host;
  return fmt::format("node {}", node) + (host.empty() ? "" : " (" + host + ")");
}

}  // namespace ringside::agent
