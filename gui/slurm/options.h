// What a person asks of Slurm for a run, and the words that sbatch gets for it. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
  RINGSIDE_FIELDS(partition, account, time, qos, constraint, nodes, gpus_per_node, more)
};

/// One of the options that are a text: the command line, the form, sbatch's words and place.json
/// have a row each.
struct TextOption {
  const char* name;  ///< as sbatch has it
  std::string Options::*value;
  const char* label;  ///< in the form
  const char* empty;  ///< there, what holds while nothing is typed
  const char* tip;
  const char* help;  ///< on the command line
};
inline constexpr const char* kSiteDefault = "the site's default";
inline constexpr std::array<TextOption, 5> kTextOptions{{
    {"partition", &Options::partition, "Partition", kSiteDefault, "Where to queue",
     "With --slurm: where to queue"},
    {"account", &Options::account, "Account", kSiteDefault, "Who pays", "With --slurm: who pays"},
    {"time", &Options::time, "Time limit", kSiteDefault,
     "30 (minutes), 2:00:00 or 1-0. Two minutes before it a checkpoint is saved, and the job goes "
     "back into the queue",
     "With --slurm: the time limit, e.g. 30 or 2:00:00; before it is reached a checkpoint is saved "
     "and the job goes back into the queue"},
    {"qos", &Options::qos, "QOS", kSiteDefault, "Quality of service",
     "With --slurm: quality of service"},
    {"constraint", &Options::constraint, "Constraint", "none", "Features that the nodes must have",
     "With --slurm: features that the nodes must have"},
}};
/// "--partition"
inline std::string option_of(const TextOption& one) { return std::string("--") + one.name; }

/// The options as words behind `ringside run` or `ringside sweep`.
std::vector<std::string> command_words(const Options& options);

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
