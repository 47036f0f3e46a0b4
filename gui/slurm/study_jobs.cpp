#include "gui/slurm/study_jobs.h"

#include <algorithm>
#include <utility>

#include "gui/slurm/job_file.h"

namespace ringside::slurm {

Result<std::vector<launch::WorldSize>> on_nodes(const std::vector<launch::WorldSize>& world,
                                                std::int64_t gpus_per_node) {
  std::vector<launch::WorldSize> spread;
  for (launch::WorldSize one : world) {
    const bool fills = gpus_per_node == 0 || one.devices % gpus_per_node == 0;
    const bool fits = gpus_per_node == 0 || one.devices / one.nodes <= gpus_per_node;
    if (!fits && (one.nodes > 1 || !fills)) {
      return bad_request("--world " + launch::world_text(one) + " does not fill nodes of " +
                         std::to_string(gpus_per_node) +
                         " GPUs: write nodes x GPUs of each, as 2x3");
    }
    if (!fits) one.nodes = one.devices / gpus_per_node;
    spread.push_back(one);
  }
  std::sort(spread.begin(), spread.end());
  spread.erase(std::unique(spread.begin(), spread.end()), spread.end());
  return spread;
}

Result<void> place_on_nodes(const Options& options, launch::SweepRequest& request) {
  auto world = on_nodes(request.world, options.gpus_per_node);
  if (!world) return pass(world);
  request.world = std::move(*world);
  return {};
}

messages::RunSpec recipe_on_cluster(messages::RunSpec recipe, const Options& options) {
  auto& devices = recipe.devices;
  if (options.gpus_per_node > 0) devices.kind = "cuda";
  if (devices.kind == "auto") devices.kind = "cpu";
  devices.ids.clear();
  return recipe;
}

std::optional<Options> options_of_study(const std::filesystem::path& runs_dir,
                                        std::vector<std::string> run_ids) {
  std::sort(run_ids.rbegin(), run_ids.rend());
  for (const std::string& id : run_ids) {
    if (id.empty()) continue;
    auto file = read_job_file(runlog::RunFolder(runs_dir / id));
    if (file && !file->is_step) return std::move(file->options);
  }
  return std::nullopt;
}

}  // namespace ringside::slurm
