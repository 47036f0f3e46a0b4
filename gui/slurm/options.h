// What a person asks of Slurm for a run, and the words that sbatch gets for it. Pure; any thread.
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
  std::string time{};  ///< as Slurm has it: "30", "2:00:00", "1-0"
  std::string qos{};
  std::string constraint{};
  std::int64_t nodes = 0;           ///< 0: as devices.nodes says
  std::int64_t gpus_per_node = 0;   ///< 0: CPU ranks
  std::vector<std::string> more{};  ///< further options of sbatch: "mem=8G", "exclusive"
  bool operator==(const Options&) const = default;
  RINGSIDE_FIELDS(nodes, gpus_per_node, partition, account, time, qos, constraint, more)
};

inline constexpr const char* kSiteDefault = "the site's default";
/// A row for each of its fields, in their order.
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
/// A bad request where a value cannot be read.
Result<Options> read_options(const launch::Typed& typed);

/// A bad request names an option whose value sbatch must not get: control characters, what
/// Ringside itself sets, no option at all; or a time limit that leaves no time to train.
Result<void> check_options(const Options& options);

/// The settings as this allocation has them: nodes of its own, never virtual ones, a rank per GPU
/// where GPUs are asked for, CPU ranks otherwise. Which GPUs they are is for the agents to see.
messages::RunSpec on_cluster(messages::RunSpec spec, const Options& options);

/// After a time limit or a lost node the job goes back into the queue.
bool requeues(const Options& options);

/// Paths of the program and the folder on this machine, which are the same on the nodes.
struct JobPlaces {
  std::string sbatch;
  std::string folder;  ///< of the run
  std::string agent;   ///< ringside-agent
};

/// The command line that submits the job of this run: options as words of their own, never a shell.
/// A person's come last, where sbatch takes them before ours. `after`: the job whose end, whatever
/// it is, this one waits for instead of a person's own dependency; empty: none.
std::vector<std::string> sbatch_argv(const JobPlaces& places, const Options& options,
                                     const messages::RunSpec& spec, const std::string& after = {});
/// "NAME=value" for sbatch, which hands them to the job.
std::vector<std::string> job_environment(const JobPlaces& places, const Options& options);
/// A bad request where a path holds what must not stand in either.
Result<void> check_places(const JobPlaces& places);

/// What the job runs: the same bytes for every run.
extern const char* const kScript;
/// Names of the script in the run folder, and of the file that takes what the job prints.
inline constexpr const char* kScriptFile = "slurm.sh";
inline constexpr const char* kOutputFile = "slurm.out";

}  // namespace ringside::slurm
