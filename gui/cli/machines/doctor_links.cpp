#include "gui/cli/machines/doctor_links.h"

#include "gui/cli/interrupts.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/doctor/probe.h"
#include "gui/launch/plan.h"
#include "gui/launch/presets.h"
#include "gui/runs/probe_file.h"
#include "gui/session/machines/machine_summary.h"
#include "gui/view/launch/launch_probe.h"
#include "gui/view/probe_words.h"
#include "protocol/messages/model_catalog.h"

namespace ringside::cli {
namespace {

/// Settings of the planned run with its devices resolved.
Result<messages::RunSpec> wanted_run(const LinksOptions& options, const launch::Machine& machine) {
  const auto preset =
      RINGSIDE_TRY(launch::load_preset(options.preset.empty() ? "demo" : options.preset));
  auto spec = RINGSIDE_TRY(launch::settings_of(preset, options.quick && preset.file.spec.quick));
  std::vector<std::string> free;
  for (const launch::Gpu& gpu : machine.gpus) {
    if (gpu.pids.empty()) free.push_back(gpu.uuid);
  }
  if (options.preset.empty() && free.size() >= 2) {
    spec.devices.kind = "cuda";
    spec.devices.world_size = static_cast<std::int64_t>(free.size());
  }
  auto resolved = RINGSIDE_TRY(
      launch::resolve_spec(std::move(spec), launch::process_environment(), options.sets));
  return launch::settled(resolved, machine);
}

std::int64_t gradient_bytes_of(const messages::RunSpec& spec) {
  const auto parameters = view::model_parameters(spec);
  return parameters && spec.program.argv.empty() ? messages::gradient_bytes(*parameters) : 0;
}

Json json_of(const analysis::LinkProbe& probe, std::int64_t gradient_bytes,
             const std::string& advice) {
  Json sizes = Json::array();
  for (const auto& one : probe.sizes)
    sizes.push_back({{"size_bytes", one.size_bytes},
                     {"seconds", one.seconds},
                     {"bus_bytes_per_s", bus_bytes_per_s(probe, one)}});
  return {{"host", probe.devices.host},
          {"backend", probe.devices.backend},
          {"transport", probe.transport},
          {"gpus", probe.devices.gpus},
          {"ranks", probe.devices.ranks},
          {"threads", probe.devices.threads},
          {"sizes", std::move(sizes)},
          {"gradient_bytes", gradient_bytes > 0 ? Json(gradient_bytes) : Json()},
          {"expected_s", number_or_null(step_exchange_s(probe, gradient_bytes))},
          {"step", probe.step},
          {"alone_s", probe.alone_s},
          {"together_s", probe.together_s},
          {"ceiling", probe.ceiling},
          {"others_cores", probe.others_cores < 0 ? Json() : Json(probe.others_cores)},
          {"host_cores", probe.host_cores > 0 ? Json(probe.host_cores) : Json()},
          {"advice", advice}};
}

std::string text_of(const analysis::LinkProbe& probe, std::int64_t gradient_bytes,
                    const std::string& advice) {
  std::string text = tables_text({view::probe_table(probe)}, wants_color(stdout)) + "\n";
  if (gradient_bytes > 0) text += view::expected_text(probe, gradient_bytes) + "\n";
  text += view::ceiling_text(probe) + " (" + probe.step + ")\n";
  return advice.empty() ? text : text + advice + "\n";
}

}  // namespace

Result<int> probe_links(const LinksOptions& options) {
  const Interrupts interrupts;
  const auto cancelled = [&interrupts] { return interrupts.any(); };
  const auto machine = RINGSIDE_TRY(launch::read_machine(cancelled));
  const auto spec = RINGSIDE_TRY(wanted_run(options, machine));
  doctor::ProbeRequest request{spec};
  request.quick = options.quick;
  request.cancelled = cancelled;
  if (options.limit_s > 0) request.limit_s = options.limit_s;
  const bool waits_visibly = is_terminal(stderr) && !options.json;
  if (waits_visibly) print(stderr, "Probing, some seconds …");
  const auto probe = doctor::probe_links(machine, request);
  if (waits_visibly) print(stderr, "\r\x1b[K");
  if (interrupts.any()) return gave_up(interrupts, "the probe was not finished");
  if (!probe) return pass(probe);
  const auto summary = session::summary_of(launch::inspect_host(machine), options.runs_dir);
  const std::string advice = view::link_advice(view::LaunchForm(spec), summary);
  const std::int64_t bytes = gradient_bytes_of(spec);
  print(stdout, options.json ? dump(json_of(*probe, bytes, advice), 2) + "\n"
                             : text_of(*probe, bytes, advice));
  RINGSIDE_TRY(runs::keep_probe(options.runs_dir, *probe));
  return 0;
}

}  // namespace ringside::cli
