// Stops, resumes and refreshes an existing run wherever it runs: on this machine or through Slurm.
// Waits for agents and for Slurm's programs; any thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/launch/place_news.h"
#include "gui/launch/start.h"
#include "gui/slurm/queue_file.h"
#include "protocol/wire/control_client.h"

namespace ringside::place {

/// Asks the places of these runs for their state if the last answer is old enough, and stores the
/// answers in files. Nothing is asked for copied runs.
void refresh(const std::filesystem::path& runs_dir, const launch::Cancelled& cancelled = {});

/// As far as it is known here, from small files; nothing: its agent and its log alone say how it
/// goes.
std::optional<launch::News> news_of(const runlog::RunFolder& folder);

/// Whether a place has the run whose folder does not say yet how that ended.
bool is_open(const runlog::RunFolder& folder);

/// Through its agent where that can be reached, else as its place ends one; what is done now. One
/// that waits in a queue is taken out of it. Nothing is done to a copy's run.
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);
/// The run is over: what its place still keeps for it goes, too.
void let_go(const runlog::RunFolder& folder);

/// The folder was copied from where its place is: what that said of an end stays, and nobody here
/// asks or ends it.
Result<void> disown(const runlog::RunFolder& folder);

/// Starts a new attempt where the run ran before, as launch::start_again. Blocks until its agent
/// has started or the job is queued.
Result<launch::Started> start_again(const runlog::RunFolder& folder,
                                    const std::optional<messages::RunSpec>& spec,
                                    const launch::Cancelled& cancelled = {});

/// Slurm alone has a queue that is copied beside its runs.
using slurm::keep_copied_queue;
using slurm::queue_about;

}  // namespace ringside::place
