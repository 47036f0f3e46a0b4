// What Launch says of the run to come before it is started: its preflight, how its devices reach
// each other, and which earlier runs can be its baseline. Reads files; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/preflight/preflight.h"
#include "gui/session/launch/wanted_run.h"
#include "gui/view/launch/launch_form.h"
#include "gui/view/launch/launch_probe.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::session {

view::CheckView check_view(const launch::Check& check);

/// Notes about the baseline stand among the checks: they say what will be done and why.
std::vector<view::CheckView> checks_here(const WantedRun& run, const launch::Surroundings& around);

/// How the chosen devices reach each other; nothing of one device, or of several machines.
std::optional<view::CheckView> links_check(const view::LaunchForm& form,
                                           const messages::RunSpec& spec,
                                           const launch::Machine& machine,
                                           const view::MachineSummary& summary,
                                           const std::filesystem::path& runs_dir,
                                           view::ProbeFacts facts);

/// Finished runs that equal the baseline of these settings, newest first, and the one that the
/// settings name.
std::vector<view::BaselineChoice> equal_baselines(const messages::RunSpec& spec,
                                                  const launch::Machine& machine,
                                                  const std::vector<launch::EarlierRun>& earlier,
                                                  const std::vector<view::BaselineChoice>& shown);

}  // namespace ringside::session
