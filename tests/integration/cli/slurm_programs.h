// Fake Slurm programs, which come before the real ones in PATH while this lives: srun starts the
// agents of all nodes on this host, sbatch runs the scripts of jobs one after the other. Each
// records how it was called.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/host/files.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::testing {

inline constexpr const char* kSrun = R"(nodes=1
while :; do
  case "$1" in
    --nodes=*) nodes=${1#--nodes=}; shift ;;
    --*) shift ;;
    *) break ;;
  esac
done
node=0
agents=
while [ "$node" -lt "$nodes" ]; do
  SLURM_NODEID=$node "$@" &
  agents="$agents $!"
  node=$((node + 1))
done
code=0
for agent in $agents; do wait "$agent" || code=$?; done
exit "$code"
)";

inline constexpr const char* kSbatch = R"sh(for word; do
  case "$word" in --nodes=*) nodes=${word#--nodes=} ;; esac
done
job=$(grep -c . "$0.calls")
exec 9>"$0.lock.$job"
flock 9
(
  [ "$job" = 1 ] || flock "$0.lock.$((job - 1))" true
  SLURM_JOB_NUM_NODES=$nodes /bin/sh "$word"
) >/dev/null 2>&1 </dev/null &
echo "$job"
)sh";

inline constexpr const char* kSqueue =
    R"(for job in 1 2 3 4 12; do echo "$job|RUNNING|n1|None"; done
)";

inline constexpr const char* kScontrol = R"(echo "JobId=$4 JobState=RUNNING Reason=None"
)";

struct SlurmPrograms {
  TempFolder fakes;
  slurm::Variable programs{"PATH", fakes.path().string() + ":/usr/bin:/bin"};
  slurm::Variable configured{"SLURM_CONF", "/dev/null"};

  SlurmPrograms() {
    program("srun", kSrun);
    program("sbatch", kSbatch);
    program("squeue", kSqueue);
    program("scontrol", kScontrol);
  }
  /// Makes a program that records its arguments in a file beside it, and runs this script.
  void program(const std::string& name, const std::string& does) const {
    REQUIRE(write_text_atomically(fakes.path() / name,
                                  "#!/bin/sh\necho \"$*\" >> \"$0.calls\"\n" + does, 0700));
  }
  std::string called(const std::string& name) const {
    return read_text(fakes.path() / (name + ".calls")).value_or("");
  }
};

/// The environment in a shell of `salloc --nodes=2`.
struct InAllocation {
  slurm::Variable job{"SLURM_JOB_ID", "12"};
  slurm::Variable nodes{"SLURM_JOB_NUM_NODES", "2"};
  slurm::Variable list{"SLURM_JOB_NODELIST", "n[1-2]"};
  slurm::Variable cores{"SLURM_JOB_CPUS_PER_NODE", "1(x2)"};
};

}  // namespace ringside::testing
