#include "trainer/agent/agent.h"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "protocol/base/printable.h"
#include "protocol/host/platform.h"
#include "protocol/host/signal_sender.h"
#include "protocol/messages/asker.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/agent/processes/open_files.h"
#include "trainer/agent/processes/signals.h"
#include "trainer/probe/cpu_facts.h"
#include "trainer/probe/cpu_places.h"
#include "trainer/probe/driver.h"

namespace ringside::agent {
namespace {

using messages::State;

constexpr std::int64_t kTickNs = 1'000'000'000;
// One miss does not count, since a backup or sync tool may be replacing the folder.
constexpr int kMissesOfGone = 2;
constexpr const char* kDeleter = "whoever deleted its run folder";
constexpr std::int64_t kSampleNs = 500'000'000;
constexpr std::int64_t kReadNowNs = 1'000'000'000;  // blocks the loop for at most this long
constexpr std::int64_t kDrainTelemetryNs = 500'000'000;
constexpr std::int64_t kTurnPollNs = 200'000'000;
constexpr std::int64_t kQuietNs = 3'000'000;
// A node lost in more attempts than this is no longer an accident.
constexpr std::int32_t kMostLosses = 10;
constexpr std::int64_t kBurstNs = 1'000'000'000;
// Maximum batches per turn, so that signals and ended ranks are not kept waiting.
constexpr int kBatchesPerTurn = 512;

}  // namespace

Agent::Agent(const AgentOptions& options, const Clock& clock, Spawner& spawner)
    : options_(options), clock_(clock), spawner_(spawner) {}

Agent::~Agent() {
  sampler_.reset();
  current_.reset();
}

Result<std::unique_ptr<Agent>> Agent::open(const AgentOptions& options, const Clock& clock,
                                           Spawner& spawner) {
  std::unique_ptr<Agent> agent(new Agent(options, clock, spawner));
  if (auto opened = agent->open_all(); !opened) {
    for (RunItem& item : agent->items_) {
      record_run_state(item, clock, State::kFailed, "not started: " + opened.error().message);
      if (agent->authenticator_) close_run(item, *agent->authenticator_);
    }
    return pass(opened);
  }
  return agent;
}

Result<void> Agent::open_all() {
  const bool adopts = !options_.locks.empty();
  if (adopts && options_.locks.size() != options_.folders.size())
    return bad_request("there must be a lock for each run folder, or none");
  for (std::size_t i = 0; i < options_.folders.size(); ++i) {
    auto item = RINGSIDE_TRY(open_run(options_.folders[i], clock_,
                                      adopts ? std::optional(options_.locks[i]) : std::nullopt,
                                      options_.node));
    items_.push_back(std::move(item));
  }
  std::vector<std::string> ids;
  for (const RunItem& item : items_) ids.push_back(item.folder.id());
  agenda_.emplace(options_.node, std::move(ids), options_.keep_going);
  std::int64_t ranks = 0;
  for (const RunItem& item : items_) ranks = std::max<std::int64_t>(ranks, item.ranks.count);
  const std::uint64_t files = open_files_needed(items_.size(), static_cast<std::uint64_t>(ranks));
  if (auto room = make_room_for_files(files); !room) return room;
  const bool wants_gpus = std::any_of(items_.begin(), items_.end(), [](const RunItem& item) {
    return item.spec.devices.kind != "cpu";
  });
  read_resources(wants_gpus);
  if (const auto queued = queue_up(); !queued) return queued;
  auto authenticator = RINGSIDE_TRY(wire::Authenticator::open());
  authenticator_ = std::move(authenticator);
  auto telemetry = RINGSIDE_TRY(wire::TelemetryReceiver::open(*authenticator_));
  telemetry_ = std::move(telemetry);
  auto viewers = RINGSIDE_TRY(wire::ControlServer::open(*authenticator_));
  viewers_ = std::move(viewers);
  if (auto opened = open_head(); !opened) return opened;
  const sigset_t signals = agent_signals();
  signal_fd_ = Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  poller_.emplace();
  poller_->add(authenticator_->poll_handle(), kAuthenticator);
  poller_->add(telemetry_->poll_handle(), kTelemetry);
  poller_->add_fd(telemetry_->local_fd(), kTelemetry);
  poller_->add(viewers_->poll_handle(), kViewers);
  poller_->add_fd(signal_fd_.get(), kSignals);
  if (head_) poller_->add(head_->poll_handle(), kNodes);
  telemetry_only_.emplace();
  telemetry_only_->add(telemetry_->poll_handle(), kTelemetry);
  telemetry_only_->add_fd(telemetry_->local_fd(), kTelemetry);
  line_up();
  if (auto announced = announce_all(); !announced) return announced;
  opened_ns_ = clock_.mono_ns();
  note_unlocked();
  return {};
}

// With tasks, the resources are those of all tasks together, since each may see only a part of the
// host's.
void Agent::read_resources(bool wants_gpus) {
  if (wants_gpus) {
    auto seen = probe::ask_visible_gpus();
    gpus_ = std::move(seen.probe);
    resources_.gpus = std::move(seen.visible);
    gpu_warning_ = std::move(seen.warning);
  }
  for (probe::GpuInfo& gpu : resources_.gpus)
    gpu.numa_node = probe::numa_node_of("/", gpu.pci_bus_id);
  resources_.cpus = probe::cpu_places("/", cpus_of_process());
  int cores = probe::affinity_cores();
  if (!options_.tasks.empty()) {
    options_.tasks.front().gpus = resources_.gpus;
    auto all = resources_of(options_.tasks);
    resources_.gpus = std::move(all.gpus);
    cores = std::max(cores, all.cores);
  }
  resources_.cores = probe::cpu_facts("/", cores).cores;
}

// A run's log says that it is queued, and behind whom, before agent.json makes the run visible. The
// runs are announced in order, so that once the last one is visible all of them respond.
Result<void> Agent::announce_all() {
  queue_reason_ = what_it_waits_for();
  for (RunItem& item : items_) {
    if (!options_.warning.empty())
      item.log->post(messages::Notice{messages::Severity::kWarning, "plan", options_.warning});
    if (!gpu_warning_.empty())
      item.log->post(messages::Notice{messages::Severity::kWarning, "gpu_order", gpu_warning_});
    record_run_state(item, clock_, State::kQueued, queue_reason_);
    const bool several = is_several(item);
    if (auto announced =
            announce(item, *authenticator_, viewers_->endpoint(), telemetry_->endpoint(),
                     several ? head_->endpoint() : std::string());
        !announced) {
      return announced;
    }
    if (several) head_->expect(item.endpoint.run_token, static_cast<Node>(item.spec.devices.nodes));
  }
  return {};
}

void Agent::note_unlocked() {
  if (devices_->problem().empty() || !items_.front().log) return;
  items_.front().log->post(messages::Notice{
      messages::Severity::kWarning, "devices_not_locked",
      "other runs cannot see which devices this one has, and will not wait for it: " +
          devices_->problem()});
}

// Joins the device queue when all runs have been planned successfully.
Result<void> Agent::queue_up() {
  WantedDevices wanted;
  for (const RunItem& item : items_) {
    const auto plan = RINGSIDE_TRY(plan_of(item, {}));
    wanted.add(plan);
  }
  // The last run with the most nodes, which every agent of the start has.
  const auto largest = std::max_element(items_.rbegin(), items_.rend(), [](auto& a, auto& b) {
    return a.spec.devices.nodes < b.spec.devices.nodes;
  });
  const RunItem& asked = *largest;
  // The agent of node 0 holds the devices of all virtual nodes of its host.
  if (options_.node != 0 && messages::has_virtual_nodes(asked.spec)) {
    devices_.emplace(DeviceTurn::held_by_another(resources_, clock_));
    return {};
  }
  lines_up_ = asked.spec.devices.nodes > 1 && !messages::has_virtual_nodes(asked.spec) &&
              asked.spec.devices.when_busy == "wait";
  if (lines_up_) {
    devices_.emplace(DeviceTurn::later(asked.folder.id(), wanted.wants(), resources_, clock_));
    return {};
  }
  auto taken = RINGSIDE_TRY(DeviceTurn::take(asked.folder.id(), asked.spec.devices.when_busy,
                                             wanted.wants(), resources_, clock_));
  devices_.emplace(std::move(taken));
  return {};
}

// Repeated for each change, since this may be the run's only record for hours.
void Agent::report_wait() {
  queue_reason_ = what_it_waits_for();
  for (RunItem& item : items_) {
    if (item.is_over()) continue;
    record_run_state(item, clock_, State::kQueued, queue_reason_);
  }
}

void Agent::carry_out(const WaitForDevices& /*wait*/) {
  turn(clock_.mono_ns() + kTurnPollNs);
  fail_what_cannot_begin();
  (void)devices_->poll();
  stand_in_line();
  if (!items_.front().is_over() && what_it_waits_for() != queue_reason_) report_wait();
}

Result<SpawnPlan> Agent::plan_of(const RunItem& item, const RendezvousAddress& place) const {
  if (item.spec.program.argv.empty() && ::access(options_.trainer.c_str(), X_OK) != 0) {
    return bad_request("ringside-trainer cannot be run at " + options_.trainer +
                       ": build it, or set RINGSIDE_TRAINER to where it is");
  }
  return make_spawn_plan({item.spec, item.folder, item.attempt, resources_, options_.trainer,
                          options_.environment, place.port, options_.marker, options_.client,
                          item.node, place.address, interface_of(item, place), options_.tasks});
}

Seen Agent::seen() const {
  Seen seen;
  for (const RunItem& item : items_) seen.runs.push_back(item.state);
  seen.stopped_by = stopped_by_;
  seen.devices = (lines_up_ && !head_) || has_all_devices();
  seen.gathered = !head_ || !head_->has_run() || head_->group().gathered();
  if (!seen.gathered) {
    seen.late = are_late(gathers_ns_);
    seen.waits_for = queue_reason_;
    seen.trouble = head_->group().trouble();
  }
  if (member_) {
    seen.phase = member_->phase();
    seen.verdict = member_->verdict();
  }
  seen.attempt_over = !current_ || current_->over();
  seen.restarts = current_ && current_->will_restart();
  return seen;
}

RunItem* Agent::current_item() {
  const auto current = agenda_->current();
  return current ? &items_[*current] : nullptr;
}

void Agent::carry_out(const OpenRun& /*open*/) {
  RunItem& item = *current_item();
  if (head_ && head_->line() != nullptr) head_->leave_line();
  if (item.node != 0) return follow_head(item);
  restarts_.emplace(item.spec.limits.restarts);
  if (const auto promise = restarts_->promise()) item.log->post(*promise);
}

void Agent::carry_out(const PrepareAttempt& /*prepare*/) {
  RunItem& item = *current_item();
  if (const auto ready = prepare(item); !ready)
    record_run_state(item, clock_, State::kFailed, ready.error().message);
}

Result<void> Agent::prepare(RunItem& item) {
  // Starting ranks would create a deleted folder again.
  if (is_gone(item)) return failure("its run folder was deleted");
  // A new port for each attempt, since another user may have bound the last one in the meantime.
  auto port =
      is_several(item) ? ReservedPort::take(head_->interface().address) : ReservedPort::take();
  if (!port) return pass(port);
  auto plan = RINGSIDE_TRY(plan_of(item, {port->address(), port->port()}));
  port_.emplace(std::move(*port));
  plan_.emplace(std::move(plan));
  return is_several(item) ? gather(item) : Result<void>();
}

void Agent::carry_out(const StartAttempt& /*start*/) {
  RunItem& item = *current_item();
  const auto plan = plan_to_start(item);
  if (!plan) return;
  if (is_several(item)) let_nodes_begin(item);
  Supervisor::Parts parts{clock_, *poller_, *telemetry_, spawner_};
  if (plan->cuda) parts.read_now = [this] { return sampler_->read_now(kReadNowNs); };
  current_.emplace(parts, item, *plan, *restarts_);
  current_->start(port_ ? port_->listener() : -1);
  if (port_) port_->shut();  // rank 0 listens from now on
  item.begun = true;
  sampler_.emplace(gpus_, plan->gpus, item.folder.path(), kSampleNs, current_->living());
  devices_->report(item.folder.id(), current_->living());
  poller_->add_fd(sampler_->ready_fd(), kSampler);
  if (stopped_by_) current_->on_stop(*stopped_by_, false);
}

void Agent::carry_out(const WaitForRanks& /*wait*/) { turn(current_->next_deadline_ns()); }

void Agent::carry_out(const EndAttempt& /*end*/) {
  if (sampler_) poller_->remove_fd(sampler_->ready_fd());
  port_.reset();
  if (current_ && current_->will_restart()) ++current_item()->attempt;
  if (!member_) return;
  current_.reset();
  sampler_.reset();
}

void Agent::carry_out(const EndRun& end) {
  record_run_state(*current_item(), clock_, end.state, end.text);
}

void Agent::carry_out(const CloseRun& /*close*/) {
  RunItem& item = *current_item();
  put_off(item);
  close_nodes(item);
  sampler_.reset();
  current_.reset();
  restarts_.reset();
  port_.reset();
  // Removes the socket file before another agent can own the folder.
  (void)telemetry_->expect({0, 0, 0, 0, 0});
  if (item.log) close(item);
}

void Agent::carry_out(const LeaveQueue& /*leave*/) { devices_.reset(); }

Ended Agent::ended() const {
  if (goes_on_later_) return Ended::kGoesOnLater;
  const bool well = std::all_of(items_.begin(), items_.end(), [](const RunItem& item) {
    return item.state == State::kFinished || item.state == State::kStopped;
  });
  return well ? Ended::kWell : Ended::kBadly;
}

// A run that ended because of its time limit or a lost node waits for the next start of its job, so
// its newest logged state is "queued". For the agents of other nodes the run is over.
void Agent::put_off(RunItem& item) {
  if (!options_.requeue || item.node != 0 || !item.log || item.unwanted) return;
  const bool lost = head_ && head_->has_run() && head_->group().lost_a_node();
  const bool in_time = time_is_up_ && item.state == State::kStopped;
  if (!in_time && !(lost && item.state == State::kFailed && item.attempt < kMostLosses)) return;
  const State ended = item.state;
  record_run_state(item, clock_, State::kQueued,
                   in_time ? "until its job starts again: the time limit was near"
                           : "until its job starts again: a node was lost");
  item.state = ended;
  goes_on_later_ = true;
}

void Agent::carry_out(const Abandon& rest) {
  for (RunItem& item : items_) {
    if (item.is_over()) continue;
    record_run_state(item, clock_, State::kStopped, rest.why);
    close(item);
  }
}

void Agent::turn(std::int64_t until_ns) {
  const std::int64_t now_ns = clock_.mono_ns();
  const std::int64_t wait_ns =
      std::max<std::int64_t>(0, std::min(until_ns, next_tick_ns_) - now_ns);
  const auto ready = poller_->wait(wait_ns);
  const auto tags = ready ? *ready : std::span<const std::int32_t>();
  on_telemetry();
  const auto is_rank = [](std::int32_t tag) { return tag >= Supervisor::kFirstRankTag; };
  // Signals first: a cluster sends TERM to the agent and its ranks at the same time, and the end of
  // the ranks is then not a failure.
  if (std::find(tags.begin(), tags.end(), kSignals) != tags.end()) on_signal();
  if (std::any_of(tags.begin(), tags.end(), is_rank)) drain_telemetry();
  for (const std::int32_t tag : tags) {
    if (tag == kSampler) on_reading();
    if (is_rank(tag) && current_) current_->on_rank_ended(tag - Supervisor::kFirstRankTag);
  }
  if (current_) current_->on_tick();
  on_nodes();
  if (clock_.mono_ns() >= next_tick_ns_) {
    next_tick_ns_ = clock_.mono_ns() + kTickNs;
    for (RunItem& item : items_) {
      if (!item.is_over()) item.log->tick();
    }
    leave_what_is_gone();
    read_not_begun_nodes();
  }
  authenticator_->serve();
  on_viewers();
}

// A run without its folder can neither be found nor stopped by anybody, so it is stopped.
void Agent::leave_what_is_gone() {
  for (RunItem& item : items_) {
    if (item.is_over()) continue;
    item.misses = is_gone(item) ? item.misses + 1 : 0;
    if (item.misses != kMissesOfGone) continue;
    item.unwanted = true;
    fmt::print(stderr, "ringside-agent: {} was deleted: the run is stopped\n",
               printable_line(item.folder.path().string()));
    const bool is_current = &item == current_item();
    if (is_current) stop_run(kDeleter, false);
    if (current_ && is_current) continue;
    record_run_state(item, clock_, State::kStopped, fmt::format("asked by {}", kDeleter));
    close(item);
  }
}

void Agent::on_telemetry() {
  for (int i = 0; i < kBatchesPerTurn; ++i) {
    const auto batch = telemetry_->receive();
    if (!batch) return;
    if (current_) current_->on_batch(*batch);
  }
}

// Logs what ranks sent before they ended, some of which may still be in flight, ahead of their end.
void Agent::drain_telemetry() {
  const std::int64_t until_ns = clock_.mono_ns() + kDrainTelemetryNs;
  do {
    on_telemetry();
    const auto more = telemetry_only_->wait(kQuietNs);
    if (!more || more->empty()) return;
  } while (clock_.mono_ns() < until_ns);
}

void Agent::on_signal() {
  signalfd_siginfo info{};
  while (::read(signal_fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGUSR1 || info.ssi_signo == SIGUSR2) {
      time_is_up_ = time_is_up_ || info.ssi_signo == SIGUSR1;
      const char* who = info.ssi_signo == SIGUSR1 ? "the time limit, which is near" : "scancel";
      if (!stopped_by_) stopped_by_ = who;
      // SIGUSR2 is how `ringside stop` reaches an agent on another machine.
      for (RunItem& item : items_) item.unwanted = item.unwanted || info.ssi_signo == SIGUSR2;
      stop_run(who, false);
      continue;
    }
    // A second signal means stop at once, but Slurm sends several within milliseconds when it ends
    // a step.
    const std::int64_t now_ns = clock_.mono_ns();
    const bool again = stopped_by_ && (!is_in_slurm() || now_ns - signalled_ns_ > kBurstNs);
    if (!stopped_by_ || again) signalled_ns_ = now_ns;
    const std::string who = signal_words(
        signal_name(static_cast<int>(info.ssi_signo)),
        {info.ssi_code, static_cast<pid_t>(info.ssi_pid), static_cast<uid_t>(info.ssi_uid)});
    if (!stopped_by_) stopped_by_ = who;
    stop_run(who, again);
  }
}

void Agent::on_viewers() {
  while (const auto request = viewers_->serve()) {
    const auto [ok, text] = answer(*request);
    viewers_->reply(*request, ok, text);
  }
}

std::pair<bool, std::string> Agent::answer(const wire::ControlRequest& request) {
  using Kind = wire::ControlRequest::Kind;
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const RunItem& item) {
    return item.endpoint.run_token == request.run_token;
  });
  if (found == items_.end()) return {false, "this agent has no such run"};
  RunItem& item = *found;
  const bool is_current = current_ && &item == current_item();
  if (request.kind == Kind::kStatus) {
    if (is_current) return {true, current_->status_json()};
    // The log of a waiting run may be on a full disk, too.
    const nlohmann::json object = {{"run", item.folder.id()},
                                   {"state", std::string(messages::name_of(item.state))},
                                   {"log_problem", item.log ? item.log->problem() : std::string()}};
    return {true, object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
  }
  if (item.is_over())
    return {false,
            fmt::format("run {} is {} already", item.folder.id(), messages::name_of(item.state))};
  item.unwanted = true;
  if (is_current) {
    stop_run(messages::kAsker, request.kind == Kind::kStopNow);
    return {true, "stopping"};
  }
  if (&item == current_item()) stop_run(messages::kAsker, request.kind == Kind::kStopNow);
  record_run_state(item, clock_, State::kStopped,
                   fmt::format("asked by {} before it started", messages::kAsker));
  close(item);
  return {true, "taken off the list"};
}

void Agent::on_reading() {
  auto reading = sampler_->take();
  if (!reading || !current_) return;
  current_->on_reading(*reading);
  sampler_->set_ranks(current_->living());
}

}  // namespace ringside::agent
