// Parts of the Launch page. Internal to gui/view. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/view/launch/launch_view.h"

namespace ringside::view {

/// `gpus`: whether GPUs are used; if so, settings that need one have no warning.
std::vector<FormSection> form_sections(const LaunchForm& form, bool gpus);
/// The key of the choice in gui/launch/preflight/fast.h, the first field under training, if a
/// preflight has found it to be available. It is not a setting, since it changes several.
inline constexpr const char* kFastKey = "fast";
void add_fast(const LaunchForm& form, std::span<const CheckView> checks,
              std::vector<FormSection>& sections);
Table batch_table(const LaunchForm& form);
std::vector<Fact> plan_facts(const LaunchForm& form, const MachineSummary& machine);
std::vector<PreviewTab> preview_tabs(const LaunchForm& form, const MachineSummary& machine);
FieldView setting_field(const LaunchForm& form, const std::string& key, bool gpus);

ScriptView script_view(const ScriptForm& form, std::span<const RecentScript> recent, bool gpus);
std::vector<Fact> script_plan_facts(const ScriptForm& form, const MachineSummary& machine);
/// The command that starts the same run from a terminal, what each rank gets, and the settings.
/// None of them shows a secret.
std::vector<PreviewTab> script_preview_tabs(const ScriptForm& form, const MachineSummary& machine);

/// The device of each rank: "r0–r1 on GPU 2, 3".
Fact ranks_fact(const LaunchForm& form, const MachineSummary& machine);
/// Adds a tab for each of the first ranks, then the settings.
void add_rank_tabs(const messages::RunSpec& spec, bool gpus, std::vector<PreviewTab>& tabs);

/// Links between the GPUs of this machine; nothing with fewer than two, or if the ranks run on the
/// CPU.
LinkMatrix link_matrix(const LaunchForm& form, const MachineSummary& machine);

/// A set of free GPUs, as many as are picked, with the fastest slowest link; the first such set.
/// Nothing if only one is picked, if no other is free, or if a search would take long.
std::vector<std::string> best_devices(const LaunchForm& form, const MachineSummary& machine);

/// Whether the form's ranks will run on GPUs of this machine.
bool uses_gpus(const LaunchForm& form, const MachineSummary& machine);
/// "4, 5, 6, 7": indexes of the picked GPUs in the order of the ranks.
std::string picked_indexes(const LaunchForm& form, const MachineSummary& machine);

}  // namespace ringside::view
