// What this machine is and what goes on on it, as the pages show it. Any thread; may look at
// processes.
#pragma once

#include <filesystem>

#include "gui/launch/surroundings.h"
#include "gui/view/launch/launch_form.h"

namespace ringside::session {

view::MachineSummary summary_of(const launch::Surroundings& around,
                                const std::filesystem::path& runs_dir);

}  // namespace ringside::session
