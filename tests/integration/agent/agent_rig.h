// Real agents with real ranks for integration tests: makes run folders, starts the agent, waits for
// what happens with a deadline, reads the log. Everything a rig started is killed when it ends.
// Used by one thread.
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

/// Looks again every 2 ms until it holds; false when it never did. All seconds here are what a
/// machine needs that does nothing else: one that is slow and busy is waited for much longer.
bool wait_until(double seconds, const std::function<bool()>& holds);
/// Waits as wait_until() does for what the product promises: not a moment longer.
bool holds_within(double seconds, const std::function<bool()>& holds);

/// Removes a folder, whatever is made in it or goes from it meanwhile; false when it stayed.
bool remove_folder(const std::filesystem::path& folder);

/// Lets this process, and what it starts, use two cores at most from now on: two ranks take all
/// slots. Returns how many it may use.
int keep_two_cores();

/// How a process ended: exit code, or -signal.
using Ended = int;

class AgentRig {
 public:
  /// Tickets for devices are taken in the rig's own folder: no other test is waited for.
  AgentRig();
  AgentRig(const AgentRig&) = delete;
  AgentRig& operator=(const AgentRig&) = delete;
  ~AgentRig();

  /// A folder with a spec whose ranks are fake_rank with these flags. `change` may edit the spec.
  runlog::RunFolder make_run(int ranks, std::vector<std::string> flags,
                             const std::function<void(messages::RunSpec&)>& change = {});
  /// Starts ringside-agent on the folders; its output goes to agent.log of the first.
  /// `environment`: KEY=VALUE, added. `options`: of the agent.
  pid_t start(const std::vector<runlog::RunFolder>& folders,
              const std::vector<std::string>& environment = {},
              const std::vector<std::string>& options = {});
  /// Nothing when it has not ended in time.
  std::optional<Ended> wait_exit(pid_t pid, double seconds);
  /// start and wait_exit; fails the test when the agent does not end.
  Ended run(const std::vector<runlog::RunFolder>& folders, double seconds = 20);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
  std::vector<pid_t> agents_;
  int made_ = 0;
};

/// All records in the logs of all nodes so far.
support::RecordList records_of(const runlog::RunFolder& folder);

/// Bodies of one type.
template <class Body>
std::vector<Body> all_of(const support::RecordList& list) {
  std::vector<Body> found;
  for (const auto& entry : list.entries) {
    if (const auto* body = std::get_if<Body>(&entry.record)) found.push_back(*body);
  }
  return found;
}

/// The last recorded state about a rank, or kNoRank: of the run.
std::optional<messages::RankState> last_state(const runlog::RunFolder& folder, Rank about);
/// When the last state of the run was recorded, on the clock of mono_now_ns().
std::int64_t last_state_ns(const runlog::RunFolder& folder);
std::optional<messages::Notice> notice_with(const runlog::RunFolder& folder,
                                            const std::string& code);
/// Waits until this many steps of this rank are in the log.
bool wait_for_steps(const runlog::RunFolder& folder, Rank rank, std::size_t steps, double seconds);

/// Living processes that have this text in their command line or environment, except this one.
std::vector<pid_t> processes_with(const std::string& text);
/// Ranks of a run and what they started, by the environment that they all have.
std::vector<pid_t> ranks_and_helpers(const runlog::RunFolder& folder);
/// Processes of a run, from RankHello.
std::vector<pid_t> rank_pids(const runlog::RunFolder& folder, std::size_t ranks);
std::string text_of(const std::filesystem::path& file);

}  // namespace ringside::testing
