// The state of a run that is a job of Slurm: while no agent has it, the queue tells how it stands.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "gui/runs/shown_state.h"
#include "gui/slurm/jobs.h"

namespace ringside::runs {

/// Slurm has it, and no agent does: it waits, or its agents are about to come. An agent that cannot
/// be seen from here is gone where Slurm says of a later moment that the job waits: its node died.
bool waits_in_slurm(const std::optional<messages::RankState>& recorded, AgentPresence presence,
                    const slurm::RunJob& job);

/// "in Slurm, job 12: waiting for resources"; what follows "Queued ". With why Slurm has not
/// answered since when, where that is longer.
std::string job_words(const slurm::RunJob& job);

/// `shown`: without the job.
ShownState shown_with_job(ShownState shown, const std::optional<messages::RankState>& recorded,
                          AgentPresence presence, const slurm::RunJob& job);

}  // namespace ringside::runs
