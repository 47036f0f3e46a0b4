// Options that a person gives for a run on Slurm, and the arguments of sbatch that follow. Pure;
// any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/launch/place_options.h"
#include "protocol/base/fields.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::slurm {

struct Options {
  std::string partition{};
  std::string account{};
  std::string time{};  ///< in Slurm's format: "30", "2:00:00", "1-0"
  std::string qos{};
  std::string constraint{};
  std::int64_t nodes = 0;           ///< 0: as devices.nodes says
  std::int64_t gpus_per_node = 0;   ///< 0: CPU ranks
  std::vector<std::string> more{};  ///< further options of sbatch: "mem=8G", "exclusive"
  bool operator==(const Options&) const = default;
  RINGSIDE_FIELDS(nodes, gpus_per_node, partition, account, time, qos, constraint, more)
};

inline constexpr const char* kSiteDefault = "the site's default";
/// One row for each field of Options, in the same order.
inline constexpr std::array<launch::PlaceOption, 8> kOptions{{
    {"nodes", "--nodes", "N", "With --slurm: nodes, as devices.nodes", "Nodes", "as set",
     "Empty: devices.nodes", 4096, false, true},
    {"gpus_per_node", "--gpus-per-node", "N", "With --slurm: GPUs, with a rank for each",
     "GPUs per node", "CPU ranks", "With a rank for each; empty: CPU ranks", 64},
    {"partition", "--partition", "TEXT", "With --slurm: where to queue", "Partition", kSiteDefault,
     "Where to queue"},
    {"account", "--account", "TEXT", "With --slurm: who pays", "Account", kSiteDefault, "Who pays"},
    {"time", "--time", "TEXT",
     "With --slurm: the time limit, e.g. 30 or 2:00:00; before it is reached a checkpoint is saved "
     "and the job goes back into the queue",
     "Time limit", kSiteDefault,
     "30 (minutes), 2:00:00 or 1-0. Two minutes before it a checkpoint is saved, and the job goes "
     "back into the queue"},
    {"qos", "--qos", "TEXT", "With --slurm: quality of service", "QOS", kSiteDefault,
     "Quality of service"},
    {"constraint", "--constraint", "TEXT", "With --slurm: features that the nodes must have",
     "Constraint", "none", "Features that the nodes must have"},
    {"sbatch", "--sbatch-option", "NAME[=VALUE]",
     "Any other option of sbatch, e.g. mem=8G or no-requeue (repeatable)", "More options",
     "mem=8G exclusive", "Of sbatch, with spaces between, as in a shell: mem=8G exclusive", 0,
     true},
}};

launch::Typed typed_of(const Options& options);
/// Returns a bad request if a value cannot be read.
Result<Options> read_options(const launch::Typed& typed);

/// A bad request names an option that sbatch must not get: one with control characters, one that
/// Ringside itself sets, one that does not exist, or a time limit too short to train in.
Result<void> check_options(const Options& options);

/// The settings for this allocation: real nodes, never virtual ones; one rank per GPU if GPUs are
/// asked for, CPU ranks otherwise. The agents find out which GPUs they have.
messages::RunSpec on_cluster(messages::RunSpec spec, const Options& options);

/// Whether the job returns to the queue after a time limit or a lost node.
bool requeues(const Options& options);

/// Paths of the program and of the folders on this machine, which are the same on the nodes.
struct JobPlaces {
  std::string sbatch;
  std::string folder;  ///< the run folder
  std::string agent;   ///< ringside-agent
};

/// The command line that submits the job of this run, one argument per option, without a shell. A
/// person's own options come last, where sbatch prefers them to ours. `after`: the job that must
/// end first, however it ends, instead of a person's own dependency; empty: none.
std::vector<std::string> sbatch_argv(const JobPlaces& places, const Options& options,
                                     const messages::RunSpec& spec, const std::string& after = {});
/// "NAME=value" entries for sbatch, which passes them to the job.
std::vector<std::string> job_environment(const JobPlaces& places, const Options& options);
/// Returns a bad request if a path has characters that neither an argument nor the environment may
/// contain.
Result<void> check_places(const JobPlaces& places);

/// The job's script: the same bytes for every run.
extern const char* const kScript;
/// Names of the script in the run folder and of the file with the output of the job.
inline constexpr const char* kScriptFile = "slurm.sh";
inline constexpr const char* kOutputFile = "slurm.out";

}  // namespace ringside::slurm
