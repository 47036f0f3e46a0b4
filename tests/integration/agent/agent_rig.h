// Real agents with real ranks for integration tests: creates run folders, starts agents, waits with
// a deadline, reads the log. The destructor kills everything that was started. Used by one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/event_records.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

namespace ringside::testing {

/// Polls every 2 ms until `holds` is true; false if it never is. Times are for an idle machine: on
/// a slow and busy one the wait is much longer.
bool wait_until(double seconds, const std::function<bool()>& holds);
/// Like wait_until() for times that the product promises, and never longer.
bool holds_within(double seconds, const std::function<bool()>& holds);

/// Removes a folder, even if its contents change meanwhile; false if it could not be removed.
bool remove_folder(const std::filesystem::path& folder);

/// Limits this process, and those that it starts later, to two cores, so that two ranks take all
/// slots. Returns how many it may use.
int keep_two_cores();

/// Exit code of a process, or -signal.
using Ended = int;

class AgentRig {
 public:
  /// Device tickets are in the rig's own folder, so that tests do not wait for each other.
  AgentRig();
  AgentRig(const AgentRig&) = delete;
  AgentRig& operator=(const AgentRig&) = delete;
  ~AgentRig();

  /// Creates a folder with a spec whose ranks are fake_rank with these flags. `change` may edit the
  /// spec.
  runlog::RunFolder make_run(int ranks, std::vector<std::string> flags,
                             const std::function<void(messages::RunSpec&)>& change = {});
  /// Starts ringside-agent for the folders; its output goes to agent.log in the first.
  /// `environment`: KEY=VALUE, added. `options`: of the agent.
  pid_t start(const std::vector<runlog::RunFolder>& folders,
              const std::vector<std::string>& environment = {},
              const std::vector<std::string>& options = {});
  /// Nothing if it has not ended in time.
  std::optional<Ended> wait_exit(pid_t pid, double seconds);
  /// start and wait_exit; fails the test if the agent does not end.
  Ended run(const std::vector<runlog::RunFolder>& folders, double seconds = 20);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
  std::vector<pid_t> agents_;
  int made_ = 0;
};

/// All records so far in the logs of all nodes.
support::RecordList records_of(const runlog::RunFolder& folder);

/// Records of one type, without their stamps.
template <class Body>
std::vector<Body> all_of(const support::RecordList& list) {
  std::vector<Body> found;
  for (const auto& entry : list.entries) {
    if (const auto* body = std::get_if<Body>(&entry.record)) found.push_back(*body);
  }
  return found;
}

/// The last recorded state of a rank, or for kNoRank of the run.
std::optional<messages::RankState> last_state(const runlog::RunFolder& folder, Rank about);
/// Time of the last recorded state of the run, on the clock of mono_now_ns().
std::int64_t last_state_ns(const runlog::RunFolder& folder);
std::optional<messages::Notice> notice_with(const runlog::RunFolder& folder,
                                            const std::string& code);
/// Waits until this many steps of this rank are in the log.
bool wait_for_steps(const runlog::RunFolder& folder, Rank rank, std::size_t steps, double seconds);

/// Processes with this text in their command line or environment, except this one.
std::vector<pid_t> processes_with(const std::string& text);
/// Ranks of a run and their children, found by their environment.
std::vector<pid_t> ranks_and_helpers(const runlog::RunFolder& folder);
/// Process ids of a run's ranks, from RankHello.
std::vector<pid_t> rank_pids(const runlog::RunFolder& folder, std::size_t ranks);
std::string text_of(const std::filesystem::path& file);

}  // namespace ringside::testing
