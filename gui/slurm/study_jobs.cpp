#include "gui/slurm/study_jobs.h"

#include <algorithm>
#include <utility>

#include "gui/slurm/job_file.h"
#include "protocol/messages/spec/node_ranks.h"

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

Result<void> place_on_nodes(const Options& options, launch::StudyRequest& request) {
  auto world = RINGSIDE_TRY(on_nodes(request.world, options.gpus_per_node));
  request.world = std::move(world);
  for (const launch::StudyVariant& one : request.variants) {
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
  return on_cluster(std::move(recipe), {});
}

Result<Options> study_within(const Allocation& allocation, const Options& asked,
                             const std::string& kind) {
  // The number of nodes depends on how many GPUs each has, which therefore must be known.
  auto options = within(allocation, asked, kind == "cuda" ? "auto" : kind);
  if (options) options->nodes = 0;
  return options;
}

Result<void> refuse_unfit(const Allocation& allocation, const std::string& point,
                          const messages::RunSpec& spec) {
  const std::int64_t nodes = std::max<std::int64_t>(1, spec.devices.nodes);
  const std::int64_t gpus =
      spec.devices.kind == "cuda" ? messages::devices_of_node(spec, 0) : std::int64_t{0};
  const bool enough = allocation.gpus_per_node == 0 || gpus <= allocation.gpus_per_node;
  if (nodes <= allocation.nodes && enough) return {};
  return bad_request(point + " needs " + nodes_of({{}, {}, nodes, 1, gpus}) + ", and " +
                     name_of(allocation) + ", inside which this is, has " + nodes_of(allocation));
}

std::optional<StudyBefore> study_before(const std::filesystem::path& runs_dir,
                                        std::vector<std::string> run_ids) {
  std::sort(run_ids.rbegin(), run_ids.rend());
  for (const std::string& id : run_ids) {
    if (id.empty()) continue;
    auto file = read_job_file(runlog::RunFolder(runs_dir / id));
    if (file) return StudyBefore{std::move(file->options), file->is_step ? file->job : ""};
  }
  return std::nullopt;
}

Result<Options> options_to_go_on(const std::string& study, const StudyBefore& before,
                                 const std::optional<Allocation>& allocation) {
  if (before.inside.empty() && allocation) {
    return bad_request("the runs of study " + study +
                       " were jobs, and it goes on from outside of an allocation: this is " +
                       name_of(*allocation) +
                       "; `env -u SLURM_JOB_ID ringside ...` queues the rest, " +
                       "`ringside sweep " + study + " --slurm` makes it steps of this");
  }
  if (before.inside.empty()) return before.options;
  if (!allocation) {
    return bad_request("the runs of study " + study + " were steps inside Slurm job " +
                       before.inside + ": go on inside an allocation, `salloc` makes one, or " +
                       "queue the rest as jobs with `ringside sweep " + study + " --slurm ...`");
  }
  Options options = before.options;
  options.nodes = 0;
  if (allocation->gpus_per_node > 0)
    options.gpus_per_node = std::min(options.gpus_per_node, allocation->gpus_per_node);
  return options;
}

}  // namespace ringside::slurm
