// The part of Agent for runs on several nodes: node 0 gathers the other nodes and decides; the
// others follow it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "protocol/host/host.h"
#include "protocol/host/network.h"
#include "protocol/messages/spec/node_ranks.h"
#include "trainer/agent/agent.h"
#include "trainer/agent/nodes/not_begun.h"

namespace ringside::agent {
namespace {

using messages::Notice;
using messages::Severity;
using messages::State;

constexpr std::int64_t kNodeCheckNs = 100'000'000;
constexpr const char* kSetting = "devices.interface";
// Limit for missing nodes under srun, which starts all tasks at once and restarts none.
constexpr std::int64_t kTasksComeNs = 240'000'000'000;

// The interface as set by the user; empty when not set.
std::string wanted_interface(const messages::RunSpec& spec) {
  if (spec.devices.interface.empty() && messages::has_virtual_nodes(spec)) return "127.0.0.1";
  return spec.devices.interface;
}

}  // namespace

Result<void> Agent::open_head() {
  if (options_.node != 0) return {};
  for (const RunItem& item : items_) {
    if (item.spec.devices.nodes <= 1) continue;
    const auto chosen =
        choose_interface(wanted_interface(item.spec), network_interfaces(), kSetting);
    if (!chosen) return pass(chosen);
    if (head_ && chosen->address != head_->interface().address) {
      return bad_request(
          fmt::format("the runs of a list meet on one interface, not on {} and {}: "
                      "give all of them the same devices.interface",
                      head_->interface().name, chosen->name));
    }
    if (head_) continue;
    auto head = RINGSIDE_TRY(HeadLink::open(*authenticator_, *chosen));
    head_ = std::move(head);
  }
  return {};
}

// The configured interface if this node has it, else the one that routes to node 0.
std::string Agent::interface_of(const RunItem& item, const RendezvousAddress& place) const {
  if (item.spec.devices.nodes <= 1 || place.port == 0) return {};
  if (head_) return head_->interface().name;
  const auto all = network_interfaces();
  const std::string wanted = wanted_interface(item.spec);
  if (!wanted.empty()) {
    if (const auto named = choose_interface(wanted, all, kSetting)) return named->name;
  }
  const auto way = interface_to(place.address, all);
  return way ? way->name : std::string();
}

Result<void> Agent::gather(const RunItem& item) {
  if (const auto opened = port_->open(); !opened)
    return failure("node 0: " + opened.error().message);
  devices_->report(item.folder.id(), {});
  gathers_ns_ = clock_.mono_ns();
  queue_reason_.clear();
  head_->gather(item.endpoint.run_token, static_cast<Node>(item.spec.devices.nodes),
                node_limits(item.spec.limits.stall_s), item.attempt,
                {port_->address(), port_->port()}, gathers_ns_);
  return {};
}

void Agent::carry_out(const WaitForAgents& /*wait*/) {
  if (head_) report_missing_nodes(*current_item());
  turn(clock_.mono_ns() + kNodeCheckNs);
}

void Agent::report_missing_nodes(RunItem& item) {
  const std::string waits = head_->group().waiting_for();
  if (waits != std::exchange(queue_reason_, waits) && !waits.empty()) {
    record_run_state(item, clock_, item.attempt == 0 ? State::kQueued : State::kStarting,
                     waits + how_nodes_start());
  }
}

void Agent::let_nodes_begin(RunItem& item) {
  // Rank 0 of our trainer inherits the listening socket, so that nobody else can get the port in
  // between. A custom program binds the port itself.
  if (!item.spec.program.argv.empty()) port_->shut();
  const std::string where =
      fmt::format("{}:{} on {}", port_->address(), port_->port(), head_->interface().name);
  const bool here = messages::has_virtual_nodes(item.spec);
  item.log->post(Notice{
      Severity::kInfo, "nodes_meet",
      here ? fmt::format("{} nodes on this host, whose ranks meet at {}: their times say nothing "
                         "of a network between machines",
                         item.spec.devices.nodes, where)
           : fmt::format("the ranks of {} nodes meet at {}; what they say to each other is "
                         "neither encrypted nor asked who it is from: use a private network",
                         item.spec.devices.nodes, where)});
  head_->begin(clock_.mono_ns());
}

// Node 0 of several hosts: decides the order in which hosts queue for devices, which is the same
// for all runs.
void Agent::line_up() {
  if (!head_ || !lines_up_) return;
  std::int64_t nodes = 1;
  for (const RunItem& item : items_) nodes = std::max(nodes, item.spec.devices.nodes);
  head_->line_up(static_cast<Node>(nodes), NodeLimits().silent_ns);
  head_->line()->on_ready(0, host_name(), false, clock_.mono_ns());
}

void Agent::stand_in_line() {
  DeviceOrder* line = head_ ? head_->line() : nullptr;
  if (line == nullptr) return;
  std::int64_t nodes = 1;  // maximum over the runs that have not ended
  for (const RunItem& item : items_) {
    if (!item.is_over()) nodes = std::max(nodes, item.spec.devices.nodes);
  }
  line->keep(static_cast<Node>(nodes));
  if (!line->trouble().empty()) {
    for (RunItem& item : items_) {
      if (item.is_over()) continue;
      record_run_state(item, clock_, State::kFailed, line->trouble());
      close(item);
    }
    return;
  }
  if (line->next() == Node{0} && devices_->waits_to_join()) {
    devices_->join();
    note_unlocked();
    (void)devices_->poll();
  }
  line->on_ready(0, host_name(), devices_->come(), clock_.mono_ns());
}

bool Agent::has_all_devices() const {
  const DeviceOrder* line = head_ ? head_->line() : nullptr;
  return devices_->come() && (line == nullptr || line->complete());
}

std::string Agent::what_it_waits_for() const {
  const DeviceOrder* line = head_ ? head_->line() : nullptr;
  if (line == nullptr || !devices_->waiting_for().empty()) return devices_->waiting_for();
  if (!line->misses_somebody()) return line->waiting_for();
  return line->waiting_for() + how_nodes_start();
}

bool Agent::is_in_slurm() const {
  return std::any_of(options_.environment.begin(), options_.environment.end(),
                     [](const std::string& entry) { return entry.starts_with("SLURM_STEP_ID="); });
}

std::string Agent::how_nodes_start() const {
  if (is_in_slurm()) return "; srun starts their agents";
  std::string start = "; on each of them: ringside-agent --node K";
  for (const RunItem& item : items_) {
    if (item.spec.devices.nodes > 1) start += " " + item.folder.path().string();
  }
  return start;
}

// Joins the device queue of a node other than 0 when node 0 says that it is its turn.
void Agent::queue_when_told() {
  if (!lines_up_) return;
  if (member_->take_new_head()) devices_->give_back();
  if (member_->take_queue_order() && devices_->waits_to_join()) {
    devices_->join();
    note_unlocked();
  }
  (void)devices_->poll();
  if (what_it_waits_for() != queue_reason_) report_wait();
  if (devices_->come()) member_->has_devices();
}

// Reads failure files of the next run that agents left which ended before this one was there.
void Agent::read_not_begun_nodes() {
  if (!head_ || current_) return;
  const auto next = std::find_if(items_.begin(), items_.end(), [](const RunItem& item) {
    return !item.is_over() && item.spec.devices.nodes > 1;
  });
  if (next == items_.end()) return;
  const std::int64_t now_ns = clock_.mono_ns();
  for (Node node = 1; node < static_cast<Node>(next->spec.devices.nodes); ++node) {
    const auto left = read_not_begun(next->folder, node, 0, now_ns - opened_ns_);
    if (!left) continue;
    wire::NodeMessage message{Cannot::kKind, node, 0, 0, *left};
    message.run_token = next->endpoint.run_token;
    head_->hear(message, now_ns);
  }
}

bool Agent::are_late(std::int64_t since_ns) const {
  return !options_.tasks.empty() && clock_.mono_ns() - since_ns > kTasksComeNs;
}

// Fails the runs in which another node's agent reported that it cannot begin.
void Agent::fail_what_cannot_begin() {
  if (!head_) return;
  const DeviceOrder* line = head_->line();
  std::string late;
  if (line != nullptr && line->misses_somebody() && are_late(opened_ns_))
    late = what_it_waits_for() + ", four minutes after the start";
  for (RunItem& item : items_) {
    if (item.is_over()) continue;
    const std::string cannot = head_->cannot(item.endpoint.run_token);
    const std::string& why = cannot.empty() ? late : cannot;
    if (why.empty()) continue;
    record_run_state(item, clock_, State::kFailed, why);
    close(item);
    if (!options_.keep_going) return;
  }
}

void Agent::close_nodes(const RunItem& item) {
  met_head_ = met_head_ || (member_ && member_->met());
  member_.reset();
  if (!head_ || !head_->has_run()) return;
  const NodeGroup& group = head_->group();
  // The outcome of an attempt that would have been followed by another is not the outcome of the
  // run.
  const bool last = !current_ || !current_->will_restart();
  const bool told = last && group.over() && group.outcome().state == item.state;
  head_->close(told ? group.outcome() : NodeOutcome{item.state, item.state_text});
}

// Writes the end of the run to its folder for nodes that did not get it or start later.
void Agent::close(RunItem& item) {
  if (is_several(item) && !item.begun && !goes_on_later_) {
    const std::string why = head_->has_told_end(item.endpoint.run_token)
                                ? item.state_text
                                : "node 0 ended the run before it began here: " + item.state_text;
    leave_not_begun(item.folder, 0, encode(Close{{item.state, why, false}}, 0, 0).text);
  }
  close_run(item, *authenticator_);
}

// Runs the part of a node other than 0: node 0 says when attempts begin and when the run ends.
void Agent::follow_head(RunItem& item) {
  const MemberLink::Head head{node_limits(item.spec.limits.stall_s),
                              messages::has_virtual_nodes(item.spec), met_head_, devices_->come(),
                              lines_up_};
  member_.emplace(item.folder, item.node, head, *poller_, kNodes);
  record_run_state(item, clock_, State::kQueued, "waits for node 0");
  restarts_.emplace(0);  // node 0 decides about restarts
}

// Empty when the run cannot be planned on this node, which is reported to node 0.
std::optional<SpawnPlan> Agent::plan_to_start(RunItem& item) {
  if (!member_) return std::exchange(plan_, {});
  item.attempt = member_->attempt();
  auto plan = plan_of(item, member_->place());
  if (plan) return std::move(*plan);
  member_->report({State::kFailed, plan.error().message, false}, clock_.mono_ns());
  return std::nullopt;
}

void Agent::on_nodes() {
  const std::int64_t now_ns = clock_.mono_ns();
  if (head_) on_members(now_ns);
  if (member_) on_head(now_ns);
}

void Agent::on_members(std::int64_t now_ns) {
  const auto failed = head_->serve(now_ns);
  if (const auto asked = head_->take_stop()) {
    if (!current_ && !stopped_by_) stopped_by_ = asked->who;
    stop_run(asked->who, asked->now);
  }
  if (!current_ || !head_->has_run()) return;
  if (failed) current_->on_failed_elsewhere(*failed);
  NodeGroup& group = head_->group();
  if (const auto failure = current_->first_failure())
    group.on_own_failure(*failure, current_->outcome().blames_a_peer, now_ns);
  if (!current_->waits_for_verdict()) return;
  group.on_own_over(current_->outcome(), now_ns);
  if (group.over()) current_->conclude(group.outcome());
}

void Agent::on_head(std::int64_t now_ns) {
  member_->serve(now_ns);
  queue_when_told();
  // The uncertainty of the offset depends on the time of its record.
  const std::int64_t compared_ns = clock_.mono_ns();
  const auto sync = member_->clock_sync(compared_ns);
  if (RunItem* item = current_item(); sync && item != nullptr && item->log)
    item->log->post_at(*sync, compared_ns);
  if (!current_) return;
  if (const auto order = member_->take_order()) {
    if (order->how == EndHow::kFailedElsewhere) {
      current_->on_failed_elsewhere(order->text);
    } else {
      current_->on_stop(order->text, order->how == EndHow::kNow);
    }
  }
  if (current_->first_failure()) member_->expect_end();
  if (!current_->waits_for_verdict()) {
    if (member_->decided()) current_->on_failed_elsewhere(member_->verdict().text);
    return;
  }
  member_->report(current_->outcome(), now_ns);
  if (member_->decided()) current_->conclude(member_->verdict());
  if (member_->phase() == MemberPhase::kReady)
    current_->conclude_with_restart("the next attempt begins");
}

void Agent::stop_run(const std::string& who, bool now) {
  if (current_) current_->on_stop(who, now);
  if (head_) head_->stop(who, now);
  if (member_) member_->request_stop(who, now);
}

}  // namespace ringside::agent
