// A study as Slurm jobs or as steps of an allocation: which nodes its numbers of devices are placed
// on, its recipe there, and how its runs were submitted. Pure, except for study_before, which reads
// small files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/studies/study_settings.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/options.h"

namespace ringside::slurm {

/// Numbers of devices, each on as many nodes as it fills, ascending and without duplicates;
/// `gpus_per_node` 0: unchanged. A bad request names one that does not fill its nodes.
Result<std::vector<launch::WorldSize>> on_nodes(const std::vector<launch::WorldSize>& world,
                                                std::int64_t gpus_per_node);

/// Places the settings of a study on nodes, with the options of its jobs. A variant runs on one
/// node; returns a bad request if the node has too few devices.
Result<void> place_on_nodes(const Options& options, launch::StudyRequest& request);

/// The recipe with the kind of device of this request and without this machine's devices. If nodes
/// have GPUs, the numbers of devices decide how many nodes there are, not the recipe.
messages::RunSpec recipe_on_cluster(messages::RunSpec recipe, const Options& options);

/// Like `within` for a study, whose points say their nodes.
Result<Options> study_within(const Allocation& allocation, const Options& asked,
                             const std::string& kind);

/// If the allocation is too small for the point, a bad request names the point and what the
/// allocation has.
Result<void> refuse_unfit(const Allocation& allocation, const std::string& point,
                          const messages::RunSpec& spec);

struct StudyBefore {
  Options options;
  std::string inside;  ///< number of the allocation whose steps the runs were; empty: jobs
};
/// How the newest of these runs that went to Slurm was submitted; nothing: none did.
std::optional<StudyBefore> study_before(const std::filesystem::path& runs_dir,
                                        std::vector<std::string> run_ids);

/// The options to continue a study with if none were given: steps inside an allocation, jobs
/// outside of one. Returns a bad request if the study began the other way; it names the command
/// that continues it there.
Result<Options> options_to_go_on(const std::string& study, const StudyBefore& before,
                                 const std::optional<Allocation>& allocation);

}  // namespace ringside::slurm
