// Pieces of the Launch place. Internal to gui/view. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/launch/launch_view.h"

namespace ringside::view {

/// `gpus`: settings that need one are not warned about.
std::vector<FormSection> form_sections(const LaunchForm& form, bool gpus);
Table batch_table(const LaunchForm& form);
std::vector<Fact> plan_facts(const LaunchForm& form, const MachineSummary& machine);
std::vector<PreviewTab> preview_tabs(const LaunchForm& form, bool gpus);

/// Of the GPUs that this machine offers; nothing with fewer than two, or where ranks run on the
/// CPU.
LinkMatrix link_matrix(const LaunchForm& form, const MachineSummary& machine);

/// The free GPUs, as many as are picked, whose slowest link is the fastest; the first of equals.
/// Nothing where one is picked, where no other is free, or where a search would take long.
std::vector<std::string> best_devices(const LaunchForm& form, const MachineSummary& machine);

/// Whether the form's ranks will run on GPUs of this machine.
bool uses_gpus(const LaunchForm& form, const MachineSummary& machine);
/// "4, 5, 6, 7": indexes of the picked GPUs in the order of the ranks.
std::string picked_indexes(const LaunchForm& form, const MachineSummary& machine);

}  // namespace ringside::view
