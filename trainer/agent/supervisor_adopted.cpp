// Ranks that a script starts itself. In a run of one process they become the run's ranks, and the
// process is the script that started them. Within one of several ranks they cannot be told apart.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"
#include "protocol/host/text_tail.h"
#include "protocol/messages/notice_codes.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/nested_ranks.h"
#include "trainer/agent/supervisor.h"

namespace ringside::agent {

constexpr std::size_t kMostLooked = std::size_t{1} << 20;

using messages::Notice;
using messages::Severity;

bool Supervisor::may_adopt() const {
  return plan_.ranks.size() == 1 && item_.spec.devices.nodes == 1 &&
         !item_.spec.program.argv.empty();
}

void Supervisor::adopt(std::int32_t ranks) {
  if (static_cast<std::size_t>(ranks) <= senders_.size() || !may_adopt()) return;
  senders_.resize(static_cast<std::size_t>(ranks));
  adopted_.resize(senders_.size(), 0);
  life_.adopt(ranks);
  stall_.adopt(ranks);
}

void Supervisor::on_hello(Rank rank, const messages::RankHello& hello) {
  if (!may_adopt() || hello.world_size < 2) return;
  const std::int32_t ranks = std::min(hello.world_size, kMostAdopted);
  adopt(ranks);
  // A pid from another PID namespace is meaningless here, or belongs to another process.
  const bool seen =
      plan_.ranks.front().container.empty() && parts_.spawner.process_state(hello.pid) != '?';
  adopted_[place(rank)] = seen ? hello.pid : 0;
  if (std::exchange(adoption_told_, true)) return;
  item_.log->post(Notice{Severity::kInfo, messages::kAdoptedRanks,
                         fmt::format("the script starts {} ranks itself: what they print is in "
                                     "its own output, that of rank 0",
                                     ranks)});
}

pid_t Supervisor::pid_of(Rank rank) const {
  const auto at = place(rank);
  if (at < adopted_.size() && adopted_[at] != 0) return adopted_[at];
  return at < ranks_.size() ? ranks_[at].pid : 0;
}

// Only the script knows how its ranks ended; it may itself be the first rank.
void Supervisor::look_at_adopted(bool script_ended) {
  for (std::size_t at = 0; at < adopted_.size(); ++at) {
    const pid_t pid = adopted_[at];
    if (pid == 0 || (!script_ended && pid == ranks_.front().pid)) continue;
    const char state = parts_.spawner.process_state(pid);
    if (!script_ended && state != '?' && state != 'Z' && state != 'X') continue;
    adopted_[at] = 0;
    if (pid == ranks_.front().pid) continue;
    const Rank rank = static_cast<Rank>(at) + item_.ranks.first;
    take_unsent_records(rank);
    stall_.on_end(rank);
    if (!script_ended || senders_[at].goodbye)
      life_.on_adopted_end(rank, senders_[at].goodbye, parts_.clock.mono_ns());
  }
}

// Reported once, since all ranks of a run do the same.
void Supervisor::note_nested_ranks(Rank rank) {
  if (nested_reported_) return;
  const auto count = runlog::nested_ranks(plan_.ranks[place(rank)].folder);
  if (!count) return;
  nested_reported_ = true;
  const std::string text =
      may_adopt() && *count == 1
          ? "several processes of the script train, as ranks of no group: only the one that came "
            "first is shown; a script of one training each shows them all"
      : may_adopt() ? fmt::format(
                          "the script starts {} ranks once more: only those that came first are "
                          "shown; a script of one training each shows them all",
                          *count)
                    : fmt::format(
                          "inside rank {} the script starts {} rank{} itself, which report "
                          "nothing: start it once, and they are the ranks of the run, as in "
                          "ringside run --ranks 1 -- python train.py",
                          rank, *count, *count == 1 ? "" : "s");
  item_.log->post(Notice{Severity::kWarning, messages::kNestedRanks, text});
}

// Suggests another way to start the program. With several ranks, each of which starts the same
// number itself, all bind the script's port. A program written for Slurm, or one whose framework
// starts the ranks itself, lacks its variables.
std::string Supervisor::how_to_start(Rank rank, const std::string& why) const {
  const auto& argv = item_.spec.program.argv;
  const RankPlan& plan = plan_.ranks[place(rank)];
  if (argv.empty()) return {};
  const auto line = [&](const std::string& option) {
    return hide_secrets("ringside run " + option + "-- " + shell_words(argv),
                        secrets_of(plan.argv, plan.environment));
  };
  const std::string ranks = fmt::format("--ranks {} ", item_.spec.devices.world_size);
  if (why.find("KeyError: 'SLURM") != why.npos)
    return "; outside of Slurm its variables come with " + line("--as slurm " + ranks);
  if (why.find("does not match the world size") != why.npos)
    return "; to let the script start its ranks itself: " + line("--as script ");
  // Some programs train without a process group when they are not started as ranks.
  if (messages::process_count(item_.spec) < 2) {
    const bool no_gpu = why.find("ProcessGroupNCCL is only supported with GPUs") != why.npos;
    return no_gpu ? "; as in a shell, where it is no rank, it starts with " + line("--as script ")
                  : std::string();
  }
  const std::string said = end_of_file(plan.folder / "stderr", kMostLooked);
  const auto names = [&said](auto... words) { return ((said.find(words) != said.npos) || ...); };
  if (!names("EADDRINUSE", "ddress already in use") ||
      !names("multiprocessing/spawn.py", "multiprocessing/process.py", "distributed/run.py"))
    return {};
  return "; the script starts its ranks itself: leave out --ranks, as in " + line("");
}

}  // namespace ringside::agent
