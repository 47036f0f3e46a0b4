// The machine whose runs the window shows: this one, or another over ssh, of which copies are kept
// fresh. Commands to the other one are jobs. Main thread; the follower brings its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/launch/machine.h"
#include "gui/launch/start/start.h"
#include "gui/remote/follower.h"
#include "gui/session/jobs.h"
#include "gui/session/machines/remote_command.h"
#include "gui/session/message_line.h"
#include "gui/view/window/machine_view.h"

namespace ringside::session {

/// Limits how long a request to a machine may take: unlimited while the window shows it, and some
/// seconds after it was left, so that a command already given is still delivered. Any thread.
class RequestDeadline {
 public:
  void leave();
  /// Ends the limit at once.
  void end() { until_ns_ = 0; }
  bool over() const;

 private:
  std::atomic<std::int64_t> until_ns_{INT64_MAX};
};

/// Another machine and the local folder with copies of its runs.
struct OtherMachine {
  remote::Address address;
  std::string runs_dir;  ///< on that machine; empty: its default
  std::filesystem::path folder;
  std::shared_ptr<RequestDeadline> deadline =
      std::make_shared<RequestDeadline>();  ///< shared by all copies
};
/// Parses an address as people write it.
Result<OtherMachine> other_machine(const std::string& address, const std::string& runs_dir = {});

/// Carries out the request there, among the runs of that folder. Returns the output of `ringside`
/// there; on failure the error is its standard error.
Result<std::string> ask_machine(const OtherMachine& machine, const remote::RemoteAction& act);
/// The same over an open connection.
Result<std::string> ask_machine(remote::Connection& there, const OtherMachine& machine,
                                remote::RemoteAction act);
Result<std::unique_ptr<remote::Connection>> connect_to(const OtherMachine& machine);
/// The error for an answer in an unexpected format.
tl::unexpected<Error> not_understood(const OtherMachine& machine);

struct SeenMachine {
  launch::Machine machine;  ///< devices and processors
  bool has_slurm = false;   ///< submits jobs, or is in an allocation
};
/// Reads the output of the other machine's doctor.
Result<SeenMachine> read_remote_machine(const OtherMachine& machine);
/// Returns the copy of a remote run by any of its names.
Result<runlog::RunFolder> copy_of(const OtherMachine& machine, const std::string& run);
class MachineController {
 public:
  MachineController(std::optional<OtherMachine> machine, Jobs& jobs, MessageLine& line,
                    const std::function<void()>& wake);
  /// Does not wait: work in progress ends in the background.
  ~MachineController();
  MachineController(const MachineController&) = delete;
  MachineController& operator=(const MachineController&) = delete;

  bool elsewhere() const { return machine_.has_value(); }
  const std::optional<OtherMachine>& machine() const { return machine_; }
  /// "ssh://box"; empty: this machine.
  std::string name() const { return machine_ ? remote::text_of(machine_->address) : ""; }
  view::MachineFacts facts() const;
  /// Addresses of machines to choose from.
  const std::vector<std::string>& others() const { return others_; }
  /// The local folder for exports of its runs, since deleting a copy would delete exports in it.
  /// Empty: this machine.
  std::filesystem::path exports_dir() const;
  /// Wall-clock time at which the connection was lost; 0: connected, or never connected.
  std::int64_t cut_since() const { return told_ == remote::Contact::kLost ? lost_wall_ns_ : 0; }

  /// Whether the folder is the copy of a run of that machine.
  bool holds(const runlog::RunFolder& folder) const;
  /// Selects the open run: its whole log is copied as it grows.
  void watch(const RunId& id);
  /// Runs a command on that machine and shows its result. A command that can be undone is
  /// remembered for undo().
  void command(const RemoteCommand& command);
  /// Undoes the last command. If that fails it can be tried again.
  void undo();
  /// Takes the state of the connection. True if something shown has changed.
  bool update();
  /// True once after the connection was restored: requests that failed meanwhile are repeated.
  bool take_return() { return std::exchange(returned_, false); }
  /// True once after copies in the list were added or have grown: they are read again.
  bool take_new_copies() { return std::exchange(new_copies_, false); }

 private:
  using Failed = std::function<void(const Error&)>;
  /// Returns false, and says so on the screen, if the same command is already running.
  bool start(const RemoteCommand& command, Failed failed);
  void tell_done(const RemoteCommand& command);
  void keep_undo(const RemoteCommand& undo, const Error& error);

  std::optional<OtherMachine> machine_;
  Jobs& jobs_;
  MessageLine& line_;
  std::vector<std::string> others_;       ///< other machines to choose from, such as "ssh://box"
  std::vector<RemoteCommand> undone_by_;  ///< commands for undo(), that of the newest action last
  std::int64_t lost_wall_ns_ = 0;
  remote::Contact told_ = remote::Contact::kConnecting;
  std::string problem_;        ///< last shown error of the connection
  bool listed_ = false;        ///< its list of runs has arrived
  std::uint64_t brought_ = 0;  ///< last seen count of FollowState
  bool new_copies_ = false;
  bool returned_ = false;
  std::unique_ptr<remote::Follower> follower_;  ///< null: this machine
};

}  // namespace ringside::session
