// Pieces of the Launch place. Internal to gui/view. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/view/launch/launch_view.h"

namespace ringside::view {

/// `gpus`: settings that need one are not warned about.
std::vector<FormSection> form_sections(const LaunchForm& form, bool gpus);
/// The choice of gui/launch/fast.h, first under training, where a preflight has found it to be had.
/// No setting: it changes several.
inline constexpr const char* kFastKey = "fast";
void add_fast(const LaunchForm& form, std::span<const CheckView> checks,
              std::vector<FormSection>& sections);
Table batch_table(const LaunchForm& form);
std::vector<Fact> plan_facts(const LaunchForm& form, const MachineSummary& machine);
std::vector<PreviewTab> preview_tabs(const LaunchForm& form, const MachineSummary& machine);
/// The field of a setting, as any form shows it.
FieldView setting_field(const LaunchForm& form, const std::string& key, bool gpus);

ScriptView script_view(const ScriptForm& form, std::span<const RecentScript> recent, bool gpus);
std::vector<Fact> script_plan_facts(const ScriptForm& form, const MachineSummary& machine);
/// The command that starts the same run from a terminal, what each rank gets, and the settings.
/// Secrets are in none of them.
std::vector<PreviewTab> script_preview_tabs(const ScriptForm& form, const MachineSummary& machine);

/// Device of each rank: "r0–r1 on GPU 2, 3".
Fact ranks_fact(const LaunchForm& form, const MachineSummary& machine);
/// A tab for each of the first ranks, then the settings.
void add_rank_tabs(const messages::RunSpec& spec, bool gpus, std::vector<PreviewTab>& tabs);

/// Links between the GPUs that this machine offers; nothing with fewer than two, or where ranks run
/// on the CPU.
LinkMatrix link_matrix(const LaunchForm& form, const MachineSummary& machine);

/// The free GPUs, as many as are picked, whose slowest link is the fastest; the first of equals.
/// Nothing where one is picked, where no other is free, or where a search would take long.
std::vector<std::string> best_devices(const LaunchForm& form, const MachineSummary& machine);

/// Whether the form's ranks will run on GPUs of this machine.
bool uses_gpus(const LaunchForm& form, const MachineSummary& machine);
/// "4, 5, 6, 7": indexes of the picked GPUs in the order of the ranks.
std::string picked_indexes(const LaunchForm& form, const MachineSummary& machine);

}  // namespace ringside::view
