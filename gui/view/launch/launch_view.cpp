#include "gui/view/launch/launch_view.h"

#include <algorithm>

#include "gui/view/launch/launch_parts.h"
#include "gui/view/number_format.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

constexpr int kMostCpuCards = 8;

Rank rank_of(const LaunchForm& form, const std::string& uuid) {
  const auto& ids = form.spec().devices.ids;
  const auto found = std::ranges::find(ids, uuid);
  return found == ids.end() ? kNoRank : static_cast<Rank>(found - ids.begin());
}

DeviceCard gpu_card(const LaunchForm& form, const DeviceSummary& gpu) {
  DeviceCard card;
  card.uuid = gpu.uuid;
  card.title = "GPU " + std::to_string(gpu.index);
  card.short_uuid = gpu.uuid.substr(0, 12);
  card.picked = form.is_picked(gpu.uuid);
  card.can_pick = gpu.used_by.empty() || gpu.takes_turns || card.picked;
  card.rank = rank_of(form, gpu.uuid);
  card.memory_text = card.utilisation_text = std::string(kDash);
  if (gpu.memory_used_bytes >= 0 && gpu.memory_total_bytes > 0) {
    const auto total = static_cast<double>(gpu.memory_total_bytes);
    card.memory = static_cast<double>(gpu.memory_used_bytes) / total;
    card.memory_text = gib_number(static_cast<double>(gpu.memory_used_bytes)) + " / " +
                       decimal_text(total / (1024.0 * 1024.0 * 1024.0), 0) + " GiB";
  }
  if (gpu.utilisation >= 0) card.utilisation_text = percent_text(gpu.utilisation);
  if (gpu.temperature_c >= 0) card.climate = decimal_text(gpu.temperature_c, 0) + " °C";
  if (gpu.power_w >= 0)
    card.climate += (card.climate.empty() ? "" : "  ") + decimal_text(gpu.power_w, 0) + " W";
  card.note = gpu.takes_turns ? gpu.used_by + ", this run will queue" : gpu.used_by;
  if (!gpu.used_by.empty() && card.picked) card.note_tone = Tone::kWarning;
  return card;
}

DeviceCard cpu_card(const LaunchForm& form, int slot, const MachineSummary& machine) {
  DeviceCard card;
  card.uuid = "cpu:" + std::to_string(slot);
  card.title = "CPU slot " + std::to_string(slot);
  card.picked = slot < form.spec().devices.world_size;
  card.rank = card.picked ? slot : kNoRank;
  card.memory_text = card.utilisation_text = std::string(kDash);
  if (slot >= machine.cores) {
    card.note = "more ranks than cores: shared";
    card.note_tone = card.picked ? Tone::kWarning : Tone::kDim;
  }
  return card;
}

/// A sentence while the machine has not reported its devices; empty afterwards.
std::string not_said(const MachineSummary& machine) {
  return machine.cores > 0 ? "" : machine.elsewhere + " has not reported its devices yet.";
}

void add_devices(const LaunchForm& form, const MachineSummary& machine, LaunchView& view) {
  if (machine.cores <= 0) {
    view.devices_empty = {{not_said(machine), Style::kWords}};
    return;
  }
  const bool gpus = uses_gpus(form, machine);
  if (gpus) {
    const DeviceSummary& first = machine.gpus.front();
    view.devices_subtitle =
        count_text(static_cast<std::int64_t>(machine.gpus.size())) + " × " + first.name;
    if (first.memory_total_bytes > 0)
      view.devices_subtitle +=
          ", " +
          decimal_text(static_cast<double>(first.memory_total_bytes) / (1024.0 * 1024.0 * 1024.0),
                       0) +
          " GiB";
    for (const DeviceSummary& gpu : machine.gpus) view.cards.push_back(gpu_card(form, gpu));
    view.selected = {
        {"Selected ", Style::kDim},
        {form.spec().devices.ids.empty() ? "none" : picked_indexes(form, machine), Style::kNumber}};
    return;
  }
  view.devices_subtitle = plural(machine.cores, "core", "cores") +
                          (machine.cpu_name.empty() ? "" : ", " + machine.cpu_name);
  if (machine.busy_slots > 0)
    view.devices_subtitle += ", " + plural(machine.busy_slots, "slot", "slots") + " in use";
  if (machine.gpus.empty())
    view.devices_empty = {{"No GPU found. ", Style::kStrong},
                          {form.spec().devices.kind == "cuda"
                               ? "These settings ask for GPUs: pick CPU slots to train here."
                               : "Ranks will run on the CPU with Gloo.",
                           Style::kWords}};
  const auto ranks = static_cast<int>(std::min<std::int64_t>(form.spec().devices.world_size, 64));
  const int slots = std::max({2, ranks, std::min(machine.cores, kMostCpuCards)});
  for (int slot = 0; slot < slots; ++slot) view.cards.push_back(cpu_card(form, slot, machine));
  view.selected = {{"Selected ", Style::kDim},
                   {plural(ranks, "CPU slot", "CPU slots"), Style::kNumber}};
  if (ranks > machine.cores) {
    view.selected.push_back({" of ", Style::kDim});
    view.selected.push_back({count_text(machine.cores), Style::kNumber});
    view.selected.push_back({": ranks share cores", Style::kDim});
  }
}

std::string baseline_hint(const BaselineChoice& choice) {
  std::string hint = clock_text(choice.seconds);
  if (choice.accuracy >= 0) hint += ", val " + accuracy_text(choice.accuracy);
  if (!choice.brief.empty()) return hint + ", " + choice.brief;
  return hint +
         (choice.same_work ? ", same model, data and epochs" : ", different work: no speedup");
}

void add_baselines(const LaunchForm& form, std::span<const BaselineChoice> choices,
                   LaunchView& view) {
  const auto& baseline = form.spec().baseline;
  const bool one_device = baseline.set.empty();
  const bool several = form.spec().devices.world_size > 1 || !one_device;
  const bool newest = baseline.mode == "reuse" && baseline.run.empty();
  for (const BaselineChoice& choice : choices) {
    BaselineRow row{"reuse",
                    choice.id,
                    baseline.mode == "reuse" && baseline.run == choice.id,
                    "",
                    baseline_hint(choice),
                    choice.same_work,
                    choice.reason};
    row.label = "Use run " + (choice.number > 0 ? "#" + std::to_string(choice.number) : choice.id);
    view.baseline.push_back(std::move(row));
  }
  const std::int64_t times = one_device ? form.spec().devices.world_size : 1;
  std::string hint = several ? "adds about " + count_text(times) + " times this run at most"
                             : std::string("one rank is its own baseline");
  if (newest) hint = "unless an equal run is there already";
  view.baseline.push_back({"run", "", baseline.mode == "run" || newest,
                           one_device ? "Run the baseline on one rank first"
                                      : "Run the baseline with other settings first",
                           std::move(hint), several});
  view.baseline.push_back(
      {"none", "", baseline.mode == "none", "None", "no speedup will be shown", true});
}

void add_checks_summary(LaunchView& view) {
  std::int64_t passed = 0, warnings = 0, failed = 0, running = 0;
  for (const CheckView& check : view.checks) {
    passed += check.state == CheckState::kPass ? 1 : 0;
    warnings += check.state == CheckState::kWarning ? 1 : 0;
    failed += check.state == CheckState::kFail ? 1 : 0;
    running += check.state == CheckState::kRunning ? 1 : 0;
  }
  const auto total = static_cast<std::int64_t>(view.checks.size());
  if (running > 0) {
    view.checks_summary = count_text(total - running) + " of " + plural(total, "check", "checks");
    return;
  }
  if (passed + warnings + failed > 0) view.checks_summary = count_text(passed) + " passed";
  if (warnings > 0) view.checks_summary += ", " + plural(warnings, "warning", "warnings");
  if (failed > 0) view.checks_summary += ", " + count_text(failed) + " failed";
}

/// The reason that blocks the launch; empty: none.
std::string blocked_by(const LaunchForm& form, const MachineSummary& machine,
                       const LaunchView& view, bool busy) {
  if (busy) return "A run is being started.";
  if (std::string wait = not_said(machine); !wait.empty()) return wait;
  if (!view.script.missing.empty()) return view.script.missing;
  if (form.errors() > 0) return label::kBadFields;
  if (form.problems() > 0) {
    const auto more = static_cast<std::int64_t>(form.problems()) - 1;
    return form.invalid() +
           (more == 0 ? ""
                      : "; " + plural(more, "other problem is", "other problems are") + " marked.");
  }
  for (const TableRow& row : view.batch.rows) {
    if (row.key == form.spec().batch.meaning && !refusal(row).empty()) return refusal(row);
  }
  if (uses_gpus(form, machine) && form.spec().devices.ids.empty()) return label::kNoGpuPicked;
  for (const CheckView& check : view.checks) {
    if (check.state == CheckState::kFail) return check.title + ": " + check.detail;
  }
  return {};
}

/// `missing`: what the command of a script lacks; empty: nothing.
void add_button(const LaunchForm& form, const MachineSummary& machine, bool busy,
                LaunchView& view) {
  view.button = busy ? label::kStarting : launch_label(form.spec().devices.world_size);
  view.button_hint = blocked_by(form, machine, view, busy);
  view.can_launch = view.button_hint.empty();
  if (!view.can_launch) return;
  const auto warnings = std::ranges::count_if(
      view.checks, [](const CheckView& check) { return check.state == CheckState::kWarning; });
  if (warnings > 0)
    view.button_hint = plural(warnings, "warning does", "warnings do") + " not block. ";
  view.button_hint += "Ctrl Enter launches.";
}

/// The common parts of the views of both kinds of run.
LaunchView build_common(const LaunchForm& form, const MachineSummary& machine,
                        std::span<const BaselineChoice> baselines,
                        std::span<const CheckView> checks) {
  LaunchView view;
  add_devices(form, machine, view);
  view.links = link_matrix(form, machine);
  view.best = best_devices(form, machine);
  add_baselines(form, baselines, view);
  view.checks.assign(checks.begin(), checks.end());
  add_checks_summary(view);
  return view;
}

}  // namespace

std::string launch_label(std::int64_t ranks) { return "Launch " + plural(ranks, "rank", "ranks"); }

std::string pick_best_label(std::size_t devices) {
  return "Select the best " + std::to_string(devices);
}

bool uses_gpus(const LaunchForm& form, const MachineSummary& machine) {
  return form.spec().devices.kind != "cpu" && !machine.gpus.empty();
}

std::string picked_indexes(const LaunchForm& form, const MachineSummary& machine) {
  std::string text;
  for (const std::string& id : form.spec().devices.ids) {
    const auto gpu =
        std::ranges::find_if(machine.gpus, [&](const DeviceSummary& d) { return d.uuid == id; });
    add_listed(text, (gpu == machine.gpus.end() ? id.substr(0, 12) : std::to_string(gpu->index)));
  }
  return text.empty() ? "the first ones" : text;
}

LaunchView build_launch_view(const LaunchForm& form, const MachineSummary& machine,
                             std::span<const BaselineChoice> baselines,
                             std::span<const CheckView> checks, bool busy) {
  LaunchView view = build_common(form, machine, baselines, checks);
  if (!form.preset().empty())
    view.form_subtitle = "preset: " + form.preset() + (form.quick() ? " at quick scale, " : ", ") +
                         plural(form.spec().train.epochs, "epoch", "epochs");
  view.sections = form_sections(form, uses_gpus(form, machine));
  add_fast(form, checks, view.sections);
  view.batch = batch_table(form);
  view.plan = plan_facts(form, machine);
  view.preview = preview_tabs(form, machine);
  add_button(form, machine, busy, view);
  return view;
}

LaunchView build_script_launch_view(const ScriptForm& form, const MachineSummary& machine,
                                    std::span<const BaselineChoice> baselines,
                                    std::span<const CheckView> checks,
                                    std::span<const RecentScript> recent, bool busy) {
  const LaunchForm& settings = form.settings();
  const bool gpus = uses_gpus(settings, machine);
  LaunchView view = build_common(settings, machine, baselines, checks);
  view.kind = RunKind::kScript;
  view.script = script_view(form, recent, gpus);
  view.plan = script_plan_facts(form, machine);
  view.preview = script_preview_tabs(form, machine);
  add_button(settings, machine, busy, view);
  return view;
}

}  // namespace ringside::view
