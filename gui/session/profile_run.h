// A profile of a few steps of a run that goes on: asks its ranks for it, and puts what they wrote
// together with the recorded steps. Any thread.
// Format: trainer/agent/RANKS.md, "Profiles".
#pragma once

#include <filesystem>
#include <vector>

#include "gui/model/run_model.h"
#include "gui/session/export_run.h"
#include "gui/view/table.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::session {

inline constexpr Step kMostProfiledSteps = 1000;

/// Steps that every rank profiles; several seconds lie before them, in which ranks read the
/// request. A bad request where no rank has done a step yet.
Result<analysis::StepRange> steps_to_profile(const model::RunModel& model, Step steps);

/// Asks for them. The request stays in the run's folder until it is withdrawn.
Result<void> ask_profile(const runlog::RunFolder& folder, analysis::StepRange steps);
void withdraw_profile(const runlog::RunFolder& folder);

/// The ranks of the newest attempt that have written their profile.
std::vector<Rank> profiled_ranks(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps);

struct KeptProfile {
  TraceSummary trace;
  view::Table operations;
};

/// One trace of the profiles of these ranks and of what the model has of the steps.
Result<KeptProfile> keep_profile(const runlog::RunFolder& folder, const model::RunModel& model,
                                 analysis::StepRange steps, const std::vector<Rank>& ranks,
                                 const std::filesystem::path& to);

}  // namespace ringside::session
