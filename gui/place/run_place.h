// Stops, resumes and refreshes an existing run wherever it runs: on this machine or through Slurm.
// Waits for agents and for Slurm's programs; any thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/launch/place_report.h"
#include "gui/launch/start/start.h"
#include "gui/slurm/queue_file.h"
#include "protocol/wire/control_client.h"

namespace ringside::place {

/// Asks the places of these runs for their state if the last answer is old enough, and stores the
/// answers in files. Copied runs are skipped.
void refresh(const std::filesystem::path& runs_dir, const launch::Cancelled& cancelled = {});

/// What is known locally about the run's place, read from small files; nothing if only its agent
/// and its log tell its state.
std::optional<launch::PlaceReport> place_report(const runlog::RunFolder& folder);

/// Whether a place has the run and its folder does not yet say how the run ended.
bool is_open(const runlog::RunFolder& folder);

/// Stops the run through its agent if that can be reached, otherwise through its place, and returns
/// what is being done. A run that waits in a queue is removed from it. Copied runs are left alone.
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);
/// Called when the run is over: cancels what its place still has of it.
void release_run(const runlog::RunFolder& folder);

/// Called for a folder that was copied from another place: keeps the recorded end, and detaches the
/// run so that its place is neither asked about it nor made to end it.
Result<void> detach_from_place(const runlog::RunFolder& folder);

/// Starts a new attempt where the run ran before, like launch::restart_run. Blocks until its agent
/// has started or the job is queued.
Result<launch::Started> restart_run(const runlog::RunFolder& folder,
                                    const std::optional<messages::RunSpec>& spec,
                                    const launch::Cancelled& cancelled = {});

/// Only Slurm has a queue, which is copied together with its runs.
using slurm::keep_copied_queue;
using slurm::queue_about;

}  // namespace ringside::place
