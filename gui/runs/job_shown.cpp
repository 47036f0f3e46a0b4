#include "gui/runs/job_shown.h"

#include <fmt/format.h>

#include <ctime>

#include "protocol/base/calendar.h"
#include "protocol/messages/rank_records.h"

namespace ringside::runs {
namespace {

using messages::State;
using slurm::JobPhase;

constexpr const char* kSeeOutput = "; what it printed is in slurm.out of the run folder";

/// "; Slurm has not answered since 10:02: squeue: timed out"
std::string silence(const slurm::RunJob& job) {
  if (job.problem.empty()) return {};
  std::string since = " yet";
  if (job.silent_wall_ns != 0) {
    const std::tm at = calendar_of(job.silent_wall_ns, TimeZone::kLocal);
    since = fmt::format(" since {:02}:{:02}", at.tm_hour, at.tm_min);
  }
  return "; Slurm has not answered" + since + ": " + job.problem;
}

/// "; Slurm says of job 12: its time limit was reached"
std::string remark(const slurm::RunJob& job) {
  return "; Slurm says of job " + job.job + ": " + slurm::words_of(job.news);
}

/// State of a run whose job is over though no agent reported how the run ended.
ShownState cut_off(const std::optional<messages::RankState>& recorded, const slurm::RunJob& job) {
  ShownState shown;
  shown.ended = true;
  // What an agent leaves that goes on later.
  const bool put_off = recorded && recorded->state == State::kQueued;
  if (job.phase == JobPhase::kFinished && put_off) {
    shown.word = messages::name_of(State::kStopped);
    shown.detail = "its time was up, and job " + job.job + " did not go back into Slurm's queue";
    return shown;
  }
  if (job.of_own_srun && !recorded && job.phase == JobPhase::kFailed) {
    shown.word = messages::name_of(State::kFailed);
    shown.detail = "it did not begin in its step of Slurm job " + job.job +
                   "; why is in agent.log of the run folder";
    return shown;
  }
  shown.word = "interrupted";
  if (job.phase == JobPhase::kFailed) shown.word = messages::name_of(State::kFailed);
  if (job.phase == JobPhase::kCancelled) shown.word = messages::name_of(State::kStopped);
  if (job.job.empty()) {
    shown.detail = "it was not submitted to Slurm";
    return shown;
  }
  shown.detail = "Slurm job " + job.job + ": " + slurm::words_of(job.news);
  if (!recorded && job.phase != JobPhase::kCancelled) shown.detail += kSeeOutput;
  return shown;
}

}  // namespace

bool waits_in_slurm(const std::optional<messages::RankState>& recorded, AgentPresence presence,
                    const slurm::RunJob& job) {
  if (presence == AgentPresence::kAlive || slurm::is_over(job.phase)) return false;
  if (presence == AgentPresence::kElsewhere && !job.waits()) return false;
  if (recorded && recorded->state == State::kFinished) return false;
  if (job.of_own_srun) return presence == AgentPresence::kLeft && !recorded;
  if (!recorded || !messages::is_final(recorded->state)) return true;
  // What Slurm said before that end is of the attempt that ended.
  return job.phase == JobPhase::kWaiting && job.told_wall_ns >= recorded->wall_ns;
}

std::string job_words(const slurm::RunJob& job) {
  if (job.job.empty()) return "in Slurm: it is being submitted";
  const std::string on = job.news.nodes.empty() ? "" : " on " + job.news.nodes;
  return "in Slurm, job " + job.job + on + ": " + slurm::words_of(job.news) + silence(job);
}

ShownState shown_with_job(ShownState shown, const std::optional<messages::RankState>& recorded,
                          AgentPresence presence, const slurm::RunJob& job) {
  if (waits_in_slurm(recorded, presence, job)) {
    const bool comes = job.phase == JobPhase::kRunning;
    shown.word = messages::name_of(comes ? State::kStarting : State::kQueued);
    shown.detail = job_words(job);
    shown.live = true;
    shown.ended = false;
    return shown;
  }
  if (!slurm::is_over(job.phase) || presence == AgentPresence::kAlive) return shown;
  // The cluster that has it now shares the run folder.
  if (job.news.state == "REVOKED" && presence == AgentPresence::kElsewhere) return shown;
  const bool told = recorded && messages::is_final(recorded->state);
  // What srun's task of rank 0 left as its exit code says less than how its agent ended.
  if (!told && recorded && job.of_own_srun && job.phase == JobPhase::kFailed) return shown;
  if (!told) return cut_off(recorded, job);
  // A stop by a signal says nothing of who sent it.
  const bool tells = job.phase != JobPhase::kFinished && recorded->state != State::kFinished &&
                     job.news.state != "FAILED" && !job.job.empty();
  if (tells) shown.detail += remark(job);
  return shown;
}

}  // namespace ringside::runs
