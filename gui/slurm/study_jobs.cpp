#include "gui/slurm/study_jobs.h"

#include <algorithm>
#include <utility>

#include "gui/slurm/allocation.h"
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
  for (const launch::SweepVariant& one : request.variants) {
    if (options.gpus_per_node == 0 || one.devices <= options.gpus_per_node) continue;
    return bad_request("--variants " + one.word + "@" + std::to_string(one.devices) +
                       " is on one node, and each has " + std::to_string(options.gpus_per_node) +
                       " GPUs");
  }
  return {};
}

messages::RunSpec recipe_on_cluster(messages::RunSpec recipe, const Options& options) {
  auto& devices = recipe.devices;
  if (options.gpus_per_node > 0) {
    devices.kind = "cuda";
    devices.nodes = 1;
    devices.ranks_per_node = 0;
  }
  devices.virtual_nodes = false;
  if (devices.kind == "auto") devices.kind = "cpu";
  devices.ids.clear();
  return recipe;
}

Result<void> refuse_study_inside() {
  const auto allocation = own_allocation();
  if (!allocation) return {};
  return bad_request("a study is queued from outside of an allocation: this is " +
                     name_of(*allocation) + "; `env -u SLURM_JOB_ID ringside ...` queues it");
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
