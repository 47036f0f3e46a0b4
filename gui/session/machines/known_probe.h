// Finds an earlier link probe of the devices that a run is about to use. Reads a file; any thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/analysis/scaling/link_probe.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::session {

/// Returns the newest probe of these devices, preferring one that measured the same step.
/// `settled` must have its devices resolved (see launch::settled).
std::optional<analysis::LinkProbe> known_probe(const messages::RunSpec& settled,
                                               const std::filesystem::path& runs_dir);

}  // namespace ringside::session
