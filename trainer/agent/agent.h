// The agent of one experiment on one node: an ordered list of run folders, and one poll over
// everything that can happen. Agenda decides what is next, Lifecycle how an attempt ends; doing per
// attempt is in Supervisor. Lives on the main thread of ringside-agent; signals TERM, INT, HUP,
// QUIT are blocked and read here, as are USR1, which says that the time of the agent is nearly up,
// and USR2, which asks it to stop the run; unlike TERM neither ends ranks that get them too.
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
  std::vector<std::filesystem::path> folders;  ///< in the order in which they run, baseline first
  std::vector<std::string> environment;        ///< what ranks inherit
  std::string trainer;  ///< path of ringside-trainer; may be empty when no run needs it
  ClientFiles client;   ///< for programs other than our trainer
  std::string marker;   ///< marker_of_this_process()
  std::string warning;  ///< of whoever planned the runs, for their logs; may be empty
  /// Descriptors of the folders' locks, in their order; empty: nobody has left any open.
  std::vector<int> locks;
  /// Runs that do not need each other: after one that failed the next begins. A stop ends all.
  bool keep_going = false;
  Node node = 0;  ///< of runs on several nodes, the one that this agent stands for
  /// Whoever started this starts it again when it ends as Ended::kGoesOnLater.
  bool requeue = false;
  /// Places of tasks by local rank, where srun has given each rank of this node one; else empty.
  std::vector<TaskPlace> tasks{};
};

enum class Ended : std::uint8_t {
  kWell,  ///< every run finished or was stopped on request
  kBadly,
  kGoesOnLater,  ///< its time was up, or it lost a node: another attempt goes on
};

class Agent {
 public:
  /// Takes the folders, checks their settings against the machine and announces itself in each.
  /// After an error nothing was started; folders that were ours say so in their logs.
  static Result<std::unique_ptr<Agent>> open(const AgentOptions& options, const Clock& clock,
                                             Spawner& spawner);
  ~Agent();

  /// Carries out the next action; most are waits until something happens, which is then taken in.
  void step() {
    std::visit([this](const auto& one) { carry_out(one); }, agenda_->next(seen()));
  }
  bool over() const { return agenda_->over(); }
  /// Says how it all ended, once it is over.
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
  // One for each action: another that nothing carries out does not compile.
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
  Result<SpawnPlan> plan_of(const RunItem& item, const MeetingPlace& place) const;
  Result<void> prepare(RunItem& item);
  std::optional<SpawnPlan> plan_to_start(RunItem& item);
  // Gathers the nodes of a run on several nodes: agent_nodes.cpp.
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
  std::string interface_of(const RunItem& item, const MeetingPlace& place) const;
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
  std::optional<RestartPolicy> restarts_;  ///< of the current run, as those below
  std::optional<ReservedPort> port_;       ///< of the attempt, on node 0
  std::optional<SpawnPlan> plan_;          ///< of the attempt that is to start
  std::int64_t gathers_ns_ = 0;            ///< its nodes, since then
  std::optional<Supervisor> current_;
  std::optional<Sampler> sampler_;
  std::unique_ptr<HeadLink> head_;    ///< on node 0 of a run on several
  std::optional<MemberLink> member_;  ///< on the others, during a run
  bool met_head_ = false;
  std::int64_t next_tick_ns_ = 0;
  std::optional<DeviceTurn> devices_;      ///< from the arrival to the end of the last run
  std::int64_t opened_ns_ = 0;             ///< announced in all folders
  bool lines_up_ = false;                  ///< on several hosts: when node 0 says so
  std::string told_wait_;                  ///< as last reported
  std::optional<std::string> stopped_by_;  ///< who asked for a stop
  std::int64_t signalled_ns_ = 0;          ///< when the signal came that was taken for one
  bool time_is_up_ = false;                ///< by USR1
  bool goes_on_later_ = false;
};

}  // namespace ringside::agent
