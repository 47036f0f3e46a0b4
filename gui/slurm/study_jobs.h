// A study as jobs of Slurm, or as steps of an allocation: which nodes its numbers of devices are
// on, its recipe there, and how its runs were submitted. Pure but for study_before, which reads
// small files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/study_settings.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/options.h"

namespace ringside::slurm {

/// Numbers of devices on as many nodes as they fill, ascending and each once; `gpus_per_node` 0: as
/// they are. A bad request names one that does not fill its nodes.
Result<std::vector<launch::WorldSize>> on_nodes(const std::vector<launch::WorldSize>& world,
                                                std::int64_t gpus_per_node);

/// Places what a study asks for on nodes, with the options of its jobs. A variant is on one node,
/// and a bad request where that has not so many devices.
Result<void> place_on_nodes(const Options& options, launch::StudyRequest& request);

/// The recipe with the kind of device that this request has, and none of this machine's. Where
/// nodes have GPUs the numbers of devices say how many nodes there are, not the recipe.
messages::RunSpec recipe_on_cluster(messages::RunSpec recipe, const Options& options);

/// `within` for a study, whose points say their nodes.
Result<Options> study_within(const Allocation& allocation, const Options& asked,
                             const std::string& kind);

/// A bad request names the point and what the allocation has, where that is not enough for it.
Result<void> refuse_unfit(const Allocation& allocation, const std::string& point,
                          const messages::RunSpec& spec);

/// How runs of a study were submitted.
struct StudyBefore {
  Options options;
  std::string inside;  ///< number of the allocation that they were steps of; empty: jobs
};
/// The newest of these runs that went to Slurm; nothing: none did.
std::optional<StudyBefore> study_before(const std::filesystem::path& runs_dir,
                                        std::vector<std::string> run_ids);

/// The options to continue a study with if none were given: steps inside an allocation, jobs
/// outside of one. A bad request if the study began in the other of the two; it names the command
/// that continues it there.
Result<Options> options_to_go_on(const std::string& study, const StudyBefore& before,
                                 const std::optional<Allocation>& allocation);

}  // namespace ringside::slurm
