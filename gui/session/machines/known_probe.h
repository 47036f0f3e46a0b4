// What was probed before on the devices of a run to come. Reads a file; any thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/analysis/scaling/link_probe.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::session {

/// The newest, of the same step before all others; `settled`: its devices are (launch::settled).
std::optional<analysis::LinkProbe> known_probe(const messages::RunSpec& settled,
                                               const std::filesystem::path& runs_dir);

}  // namespace ringside::session
