// The agent of one start (a list of run folders) on one node, with a single poll over all events.
// Agenda decides what is next and Lifecycle how an attempt ends; Supervisor carries out an attempt.
// Lives on the main thread of ringside-agent. It blocks and reads the signals TERM, INT, HUP and
// QUIT, as well as USR1, which announces its time limit, and USR2, which asks it to stop the run;
// unlike TERM, these two do not end ranks that also get them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/host/descriptor.h"
#include "protocol/wire/control_server.h"
#include "trainer/agent/agenda.h"
#include "trainer/agent/device_turn.h"
#include "trainer/agent/nodes/head_link.h"
#include "trainer/agent/nodes/member_link.h"
#include "trainer/agent/processes/reserved_port.h"
#include "trainer/agent/supervisor.h"

namespace ringside::agent {

struct AgentOptions {
  std::vector<std::filesystem::path> folders;  ///< in execution order, baseline first
  std::vector<std::string> environment;        ///< inherited by the ranks
  std::string trainer;  ///< path of ringside-trainer; may be empty if no run needs it
  ClientFiles client;   ///< for custom programs
  std::string marker;   ///< marker_of_this_process()
  std::string warning;  ///< by the program that planned the runs, for their logs; may be empty
  /// Descriptors of the folders' locks, in the same order; empty when none were passed on.
  std::vector<int> locks;
  /// The runs are independent: if one fails, the next begins. A stop ends all.
  bool keep_going = false;
  Node node = 0;  ///< this agent's node
  /// The caller starts this agent again when it ends as Ended::kGoesOnLater.
  bool requeue = false;
  /// What each task has, by local rank, when srun started a task per rank; else empty.
  std::vector<TaskPlace> tasks{};
};

enum class Ended : std::uint8_t {
  kWell,  ///< every run finished or was stopped on request
  kBadly,
  kGoesOnLater,  ///< its time was up or a node was lost: another attempt continues it
};

class Agent {
 public:
  /// Opens the folders, checks their settings against this machine and writes agent.json to each.
  /// After an error nothing was started, and the logs of the folders that were opened say so.
  static Result<std::unique_ptr<Agent>> open(const AgentOptions& options, const Clock& clock,
                                             Spawner& spawner);
  ~Agent();

  /// Carries out the next action. Most actions wait for an event and then handle it.
  void step() {
    std::visit([this](const auto& one) { carry_out(one); }, agenda_->next(seen()));
  }
  bool over() const { return agenda_->over(); }
  /// Overall result; valid when over.
  Ended ended() const;

 private:
  enum Tag : std::int32_t { kAuthenticator, kTelemetry, kViewers, kSignals, kSampler, kNodes };

  Agent(const AgentOptions& options, const Clock& clock, Spawner& spawner);
  Result<void> open_all();
  void read_resources(bool wants_gpus);
  Result<void> queue_up();
  Result<void> announce_all();
  Seen seen() const;
  RunItem* current_item();
  bool is_several(const RunItem& item) const { return head_ && item.spec.devices.nodes > 1; }
  // One overload per action: an action without one does not compile.
  void carry_out(const WaitForDevices& wait);
  void carry_out(const Abandon& rest);
  void carry_out(const OpenRun& open);
  void carry_out(const PrepareAttempt& prepare);
  void carry_out(const WaitForAgents& wait);
  void carry_out(const StartAttempt& start);
  void carry_out(const WaitForRanks& wait);
  void carry_out(const EndAttempt& end);
  void carry_out(const EndRun& end);
  void carry_out(const CloseRun& close);
  void carry_out(const LeaveQueue& leave);
  bool has_all_devices() const;
  std::string what_it_waits_for() const;
  std::string how_nodes_start() const;
  bool is_in_slurm() const;
  bool are_late(std::int64_t since_ns) const;
  void report_wait();
  void note_unlocked();
  void fail_what_cannot_begin();
  void line_up();
  void stand_in_line();
  void queue_when_told();
  Result<void> open_head();
  Result<SpawnPlan> plan_of(const RunItem& item, const RendezvousAddress& place) const;
  Result<void> prepare(RunItem& item);
  std::optional<SpawnPlan> plan_to_start(RunItem& item);
  // Functions for runs on several nodes: agent_nodes.cpp.
  Result<void> gather(const RunItem& item);
  void report_missing_nodes(RunItem& item);
  void let_nodes_begin(RunItem& item);
  void follow_head(RunItem& item);
  void on_nodes();
  void on_members(std::int64_t now_ns);
  void on_head(std::int64_t now_ns);
  void read_not_begun_nodes();
  void close_nodes(const RunItem& item);
  void close(RunItem& item);
  void stop_run(const std::string& who, bool now);
  void put_off(RunItem& item);
  std::string interface_of(const RunItem& item, const RendezvousAddress& place) const;
  void turn(std::int64_t until_ns);
  void leave_what_is_gone();
  void on_signal();
  void on_telemetry();
  void drain_telemetry();
  void on_viewers();
  std::pair<bool, std::string> answer(const wire::ControlRequest& request);
  void on_reading();

  AgentOptions options_;
  const Clock& clock_;
  Spawner& spawner_;
  std::unique_ptr<wire::Authenticator> authenticator_;
  std::unique_ptr<wire::TelemetryReceiver> telemetry_;
  std::unique_ptr<wire::ControlServer> viewers_;
  std::optional<wire::Poller> poller_;
  std::optional<wire::Poller> telemetry_only_;
  Descriptor signal_fd_{-1};
  NodeResources resources_;
  std::shared_ptr<probe::GpuProbe> gpus_;
  std::string gpu_warning_;  ///< for the runs' logs
  std::vector<RunItem> items_;
  std::optional<Agenda> agenda_;
  std::optional<RestartPolicy> restarts_;  ///< for the current run, like those below
  std::optional<ReservedPort> port_;       ///< rendezvous port of the attempt, on node 0
  std::optional<SpawnPlan> plan_;          ///< plan of the next attempt
  std::int64_t gathers_ns_ = 0;            ///< when it began to gather the nodes
  std::optional<Supervisor> current_;
  std::optional<Sampler> sampler_;
  std::unique_ptr<HeadLink> head_;    ///< on node 0 of a run on several nodes
  std::optional<MemberLink> member_;  ///< on other nodes, during a run
  bool met_head_ = false;
  std::int64_t next_tick_ns_ = 0;
  std::optional<DeviceTurn> devices_;      ///< from joining the queue to the end of the last run
  std::int64_t opened_ns_ = 0;             ///< when all folders were announced
  bool lines_up_ = false;                  ///< on several hosts: queues when node 0 decides
  std::string queue_reason_;               ///< last reported reason for waiting
  std::optional<std::string> stopped_by_;  ///< who asked the agent to stop
  std::int64_t signalled_ns_ = 0;          ///< when the stop signal came
  bool time_is_up_ = false;                ///< set by USR1
  bool goes_on_later_ = false;
};

}  // namespace ringside::agent
