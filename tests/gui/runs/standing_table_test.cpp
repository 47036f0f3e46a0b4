// R11: every combination of what is seen of an agent, what a log says last and what the run's place
// says, each with the state that is shown.
#include <iterator>
#include <optional>
#include <string>

#include "gui/runs/shown_state.h"
#include "gui/slurm/jobs.h"
#include "protocol/messages/rank_records.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::State;
using runs::AgentPresence;

namespace {

constexpr std::int64_t kToldNs = 7;

struct Agent {
  const char* name;
  AgentPresence presence;
  double silent_s = 0;
  std::int32_t stopped_pid = 0;
};

struct Log {
  const char* name;
  std::optional<State> state;
  std::int64_t wall_ns = kToldNs;
  bool not_copied = false;
};

struct Job {
  const char* state;  ///< in Slurm's words; null: the run is not a job
  bool of_own_srun = false;
  std::int64_t agent_wall_ns = kToldNs;
};

constexpr Agent kAgents[] = {
    {"here", AgentPresence::kAlive},          {"here, held up", AgentPresence::kAlive, 0, 4711},
    {"elsewhere", AgentPresence::kElsewhere}, {"elsewhere, silent", AgentPresence::kElsewhere, 500},
    {"gone", AgentPresence::kGone},           {"left", AgentPresence::kLeft}};

constexpr Log kLogs[] = {{"nothing", std::nullopt},
                         {"not copied", std::nullopt, kToldNs, true},
                         {"put off", State::kQueued},
                         {"trains", State::kTraining},
                         {"stopped before Slurm was asked", State::kStopped},
                         {"stopped since", State::kStopped, kToldNs + 1},
                         {"finished", State::kFinished}};

/// One column of the table each.
constexpr Job kJobs[] = {{nullptr},         {""},
                         {"PENDING"},       {"PENDING", false, kToldNs - 1},
                         {"RUNNING"},       {"COMPLETED"},
                         {"FAILED"},        {"OUT_OF_MEMORY"},
                         {"CANCELLED"},     {"TIMEOUT"},
                         {"REVOKED"},       {"", true},
                         {"PENDING", true}, {"PENDING", true, kToldNs - 1},
                         {"RUNNING", true}, {"COMPLETED", true},
                         {"FAILED", true},  {"TIMEOUT", true}};

/// Expected states for each agent and log, one letter per job: r as recorded, R with a remark of
/// Slurm's, l live, s starting, h held up, u unheard, d its agent died, m the end is missing, n
/// never started, c not copied; according to Slurm: q queued, b starting, i cut, f failed, x
/// stopped, k not requeued, v did not begin.
constexpr const char* kShown[] = {
    // here
    "ssssssssssssssssss",  // nothing
    "ssssssssssssssssss",  // not copied
    "llllllllllllllllll",  // put off
    "llllllllllllllllll",  // trains
    "rrrrrrrrrrrrrrrrrr",  // stopped before Slurm was asked
    "rrrrrrrrrrrrrrrrrr",  // stopped since
    "rrrrrrrrrrrrrrrrrr",  // finished
    // here, held up
    "hhhhhhhhhhhhhhhhhh",  // nothing
    "hhhhhhhhhhhhhhhhhh",  // not copied
    "hhhhhhhhhhhhhhhhhh",  // put off
    "hhhhhhhhhhhhhhhhhh",  // trains
    "rrrrrrrrrrrrrrrrrr",  // stopped before Slurm was asked
    "rrrrrrrrrrrrrrrrrr",  // stopped since
    "rrrrrrrrrrrrrrrrrr",  // finished
    // elsewhere
    "sssqsiffxisssssivi",  // nothing
    "sssqsiffxisssssivi",  // not copied
    "lllqlkffxilllllkli",  // put off
    "lllqliffxilllllili",  // trains
    "rrrqrrrRRRrrrrrrrR",  // stopped before Slurm was asked
    "rrrrrrrRRRrrrrrrrR",  // stopped since
    "rrrrrrrrrrrrrrrrrr",  // finished
    // elsewhere, silent
    "uuuquiffxiuuuuuivi",  // nothing
    "uuuquiffxiuuuuuivi",  // not copied
    "uuuqukffxiuuuuukui",  // put off
    "uuuquiffxiuuuuuiui",  // trains
    "rrrqrrrRRRrrrrrrrR",  // stopped before Slurm was asked
    "rrrrrrrRRRrrrrrrrR",  // stopped since
    "rrrrrrrrrrrrrrrrrr",  // finished
    // gone
    "nqqqbiffxiinnnnivi",  // nothing
    "cqqqbiffxiiccccivi",  // not copied
    "dqqqbkffxiiddddkdi",  // put off
    "dqqqbiffxiiddddidi",  // trains
    "rrqqrrrRRRRrrrrrrR",  // stopped before Slurm was asked
    "rrrrrrrRRRRrrrrrrR",  // stopped since
    "rrrrrrrrrrrrrrrrrr",  // finished
    // left
    "nqqqbiffxiiqqqbivi",  // nothing
    "cqqqbiffxiiqqqbivi",  // not copied
    "mqqqbkffxiimmmmkmi",  // put off
    "mqqqbiffxiimmmmimi",  // trains
    "rrqqrrrRRRRrrrrrrR",  // stopped before Slurm was asked
    "rrrrrrrRRRRrrrrrrR",  // stopped since
    "rrrrrrrrrrrrrrrrrr",  // finished
};

runs::ShownState shown(const Agent& agent, const Log& log, const Job& job) {
  std::optional<messages::RankState> recorded;
  if (log.state) {
    recorded.emplace();
    recorded->state = *log.state;
    recorded->wall_ns = log.wall_ns;
    recorded->text = "because";
  }
  runs::Seen seen{recorded, agent.presence, agent.silent_s};
  seen.stopped_pid = agent.stopped_pid;
  seen.not_copied = log.not_copied;
  if (job.state == nullptr) return runs::shown_state(seen);
  auto told = slurm::run_job("12", {job.state, "None", ""}, job.of_own_srun);
  told.reported_wall_ns = kToldNs;
  told.agent_wall_ns = job.agent_wall_ns;
  seen.report = told;
  return runs::shown_state(seen);
}

/// One letter for each way in which a run can be shown.
char letter(const runs::ShownState& state) {
  const auto says = [&](const char* words) {
    return state.detail.find(words) != std::string::npos;
  };
  CHECK_FALSE((state.live && state.ended));
  if (says("Slurm says of job 12")) return 'R';
  if (state.detail == "because") return state.ended ? 'r' : 'l';
  if (state.word == "lost contact") return state.live ? 'h' : 'u';
  if (state.word == "not copied") return 'c';
  if (says("in Slurm, job 12")) return state.word == "queued" ? 'q' : 'b';
  if (state.live && state.word == "starting") return 's';
  if (says("did not go back")) return 'k';
  if (says("did not begin")) return 'v';
  if (says("Slurm job 12: "))
    return state.word == "failed" ? 'f' : state.word == "stopped" ? 'x' : 'i';
  if (says("never started")) return 'n';
  return says("its agent died") ? 'd' : says("the end is missing") ? 'm' : '?';
}

}  // namespace

TEST_CASE("R11: every combination of agent, log and place has one state") {
  const char* const* expected = kShown;
  for (const Agent& agent : kAgents) {
    for (const Log& log : kLogs) {
      CAPTURE(agent.name, log.name);
      std::string row;
      for (const Job& job : kJobs) row += letter(shown(agent, log, job));
      CHECK(row == *expected++);
    }
  }
  CHECK(expected == std::end(kShown));
}
