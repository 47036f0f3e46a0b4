// A study as jobs of Slurm: which nodes its numbers of devices are on, its recipe there, and the
// options with which its runs were submitted. Pure but for the last, which reads small files; any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/sweep.h"
#include "gui/slurm/options.h"

namespace ringside::slurm {

/// Numbers of devices on as many nodes as they fill, ascending and each once; `gpus_per_node` 0: as
/// they are. A bad request names one that does not fill its nodes.
Result<std::vector<launch::WorldSize>> on_nodes(const std::vector<launch::WorldSize>& world,
                                                std::int64_t gpus_per_node);

/// The same for what a study asks for, with the options of its jobs. A variant is on one node, and
/// a bad request where that has not so many.
Result<void> place_on_nodes(const Options& options, launch::SweepRequest& request);

/// Its kind of device as this request has it, and none of this machine's. Where nodes have GPUs the
/// numbers of devices say how many nodes there are, not the recipe.
messages::RunSpec recipe_on_cluster(messages::RunSpec recipe, const Options& options);

/// A bad request inside an allocation: a study goes on in Slurm's queue, too.
Result<void> refuse_study_inside();

/// Of the newest of these runs that was a job of its own; nothing: none was.
std::optional<Options> options_of_study(const std::filesystem::path& runs_dir,
                                        std::vector<std::string> run_ids);

}  // namespace ringside::slurm
