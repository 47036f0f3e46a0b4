#include "gui/session/machines/known_probe.h"

#include <algorithm>

#include "gui/runs/probe_file.h"
#include "gui/view/launch/launch_form.h"
#include "protocol/host/host.h"

namespace ringside::session {

std::optional<analysis::LinkProbe> known_probe(const messages::RunSpec& settled,
                                               const std::filesystem::path& runs_dir) {
  if (settled.devices.nodes > 1) return std::nullopt;
  const bool gpus = settled.devices.kind == "cuda";
  analysis::ProbedDevices devices{host_name(), gpus ? "nccl" : "gloo", settled.devices.ids,
                                  static_cast<Rank>(settled.devices.world_size),
                                  gpus ? 0 : settled.devices.threads};
  std::sort(devices.gpus.begin(), devices.gpus.end());
  std::string step;
  // The settings of a custom program do not tell what its step computes.
  const bool known = settled.program.argv.empty();
  if (const auto samples = view::dataset_size(settled.data); known && samples) {
    if (const auto batch = messages::batch_facts(settled, samples->train))
      step = analysis::step_words(settled.model.name, batch->per_rank_batch,
                                  messages::precision_text(settled));
  }
  const auto probes = runs::read_probes(runs_dir);
  const analysis::LinkProbe* newest = analysis::newest_probe(probes, devices, step);
  return newest == nullptr ? std::nullopt : std::optional(*newest);
}

}  // namespace ringside::session
