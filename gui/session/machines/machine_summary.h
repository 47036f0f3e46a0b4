// Describes this machine and its current load, as the pages show it. Any thread; may inspect
// processes.
#pragma once

#include <filesystem>

#include "gui/launch/host_activity.h"
#include "gui/view/launch/launch_form.h"

namespace ringside::session {

view::MachineSummary summary_of(const launch::HostActivity& around,
                                const std::filesystem::path& runs_dir);

}  // namespace ringside::session
