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
#include "gui/launch/start.h"
#include "gui/remote/follower.h"
#include "gui/session/jobs.h"
#include "gui/session/machines/command_there.h"
#include "gui/session/message_line.h"
#include "gui/view/window/machine_view.h"

namespace ringside::session {

/// How long whatever asks a machine may still take: without end while the window shows it, and some
/// seconds after it was left, so that a command that was given still gets there. Any thread.
class Patience {
 public:
  void leave();
  /// Nobody waits from now on.
  void end() { until_ns_ = 0; }
  bool over() const;

 private:
  std::atomic<std::int64_t> until_ns_{INT64_MAX};
};

/// Another machine and the folder of its runs' copies here.
struct OtherMachine {
  remote::Address address;
  std::string runs_dir;  ///< there; empty: the usual one
  std::filesystem::path folder;
  std::shared_ptr<Patience> patience = std::make_shared<Patience>();  ///< of all copies of this
};
/// The machine at an address as people write it.
Result<OtherMachine> other_machine(const std::string& address, const std::string& runs_dir = {});

/// Has it done there, among the runs of that folder: what `ringside` there printed, or what it
/// wrote to standard error when it fails.
Result<std::string> ask_machine(const OtherMachine& machine, const remote::FarAct& act);
/// The same over a connection that is there.
Result<std::string> ask_machine(remote::Connection& there, const OtherMachine& machine,
                                remote::FarAct act);
Result<std::unique_ptr<remote::Connection>> connect_to(const OtherMachine& machine);
/// The error of an answer in another form.
tl::unexpected<Error> not_understood(const OtherMachine& machine);

struct SeenMachine {
  launch::Machine machine;  ///< devices and processors
  bool has_slurm = false;   ///< it submits jobs, or is inside an allocation
};
/// Reads what the other machine's doctor says.
Result<SeenMachine> read_machine_there(const OtherMachine& machine);
/// The copy of a run there, by any of its names.
Result<runlog::RunFolder> copy_of(const OtherMachine& machine, const std::string& run);
class MachineController {
 public:
  MachineController(std::optional<OtherMachine> machine, Jobs& jobs, MessageLine& line,
                    const std::function<void()>& wake);
  /// Waits for nothing: what is under way ends in the background.
  ~MachineController();
  MachineController(const MachineController&) = delete;
  MachineController& operator=(const MachineController&) = delete;

  bool elsewhere() const { return machine_.has_value(); }
  const std::optional<OtherMachine>& machine() const { return machine_; }
  /// "ssh://box"; empty: this machine.
  std::string name() const { return machine_ ? remote::text_of(machine_->address) : ""; }
  view::MachineFacts facts() const;
  /// Machines to choose from, as people write them.
  const std::vector<std::string>& others() const { return others_; }
  /// Where exports of its runs go here: their copies are deleted with them. Empty: this machine.
  std::filesystem::path exports_dir() const;
  /// Since when the machine cannot be reached, wall clock; 0: it can, or never could.
  std::int64_t cut_since() const { return told_ == remote::Contact::kLost ? lost_wall_ns_ : 0; }

  /// Whether this is the copy of a run there.
  bool holds(const runlog::RunFolder& folder) const;
  /// The open run: all of its log is brought, as it grows.
  void watch(const RunId& id);
  /// Runs a command on that machine and shows its result. A command that can be undone is
  /// remembered for undo().
  void command(const CommandThere& command);
  /// Takes back what was done last. Where that fails it can be tried again.
  void undo();
  /// Tells what became of the connection. True when something shown has changed.
  bool update();
  /// True once after the machine was lost and is there again: what failed meanwhile is asked again.
  bool take_return() { return std::exchange(returned_, false); }
  /// True once after copies in the list were made or went on: they are read again.
  bool take_new_copies() { return std::exchange(new_copies_, false); }

 private:
  using Failed = std::function<void(const Error&)>;
  /// False if the same command is already running, which is shown.
  bool start(const CommandThere& command, Failed failed);
  void tell_done(const CommandThere& command);
  void keep_undo(const CommandThere& undo, const Error& error);

  std::optional<OtherMachine> machine_;
  Jobs& jobs_;
  MessageLine& line_;
  std::vector<std::string> others_;      ///< other machines to choose from, such as "ssh://box"
  std::vector<CommandThere> undone_by_;  ///< commands for undo(), that of the newest action last
  std::int64_t lost_wall_ns_ = 0;
  remote::Contact told_ = remote::Contact::kConnecting;
  std::string problem_;        ///< of the connection, as it was shown last
  bool listed_ = false;        ///< its runs are known here
  std::uint64_t brought_ = 0;  ///< of FollowState
  bool new_copies_ = false;
  bool returned_ = false;
  std::unique_ptr<remote::Follower> follower_;  ///< null: this machine
};

}  // namespace ringside::session
