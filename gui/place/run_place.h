// A run that is there, wherever it runs: how it is stopped, started again, and what its place says
// of it now. Waits for agents and for Slurm's programs; any thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/launch/start_experiment.h"
#include "protocol/wire/control_client.h"

namespace ringside::place {

/// Asks the places of these runs how they stand, where it is time to; what they say is kept in
/// files. Of copies nothing is asked here.
void refresh(const std::filesystem::path& runs_dir, const launch::Cancelled& cancelled = {});

/// Through its agent where that can be reached, else as its place ends one; what is done now. One
/// that waits in a queue is taken out of it. Nothing is done to a copy's run.
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);
/// The run is over: what its place still keeps for it goes, too.
void let_go(const runlog::RunFolder& folder);

/// A new attempt where it ran before, as launch::start_again. Blocks until its agent is there, or a
/// queue has it.
Result<launch::Experiment> start_again(const runlog::RunFolder& folder,
                                       const std::optional<messages::RunSpec>& spec,
                                       const launch::Cancelled& cancelled = {});

}  // namespace ringside::place
