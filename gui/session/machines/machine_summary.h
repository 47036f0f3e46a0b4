// Describes this machine and its current load, as the pages show it. Any thread; may inspect
// processes.
#pragma once

#include <filesystem>

#include "gui/launch/surroundings.h"
#include "gui/view/launch/launch_form.h"

namespace ringside::session {

view::MachineSummary summary_of(const launch::Surroundings& around,
                                const std::filesystem::path& runs_dir);

}  // namespace ringside::session
