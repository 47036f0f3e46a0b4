// Commands that run a rank in a container (docker, podman, nerdctl, apptainer, singularity,
// enroot): what such a command is told so that the process inside finds its run, our library and
// the other ranks, and the end of a container that outlives its command.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "trainer/agent/processes/client_files.h"

namespace ringside::agent {

/// What a process in a container needs of the host.
struct ContainerNeeds {
  std::vector<std::string> variables;  ///< NAME=VALUE; PYTHONPATH without the host's
  std::filesystem::path run;           ///< the run folder, to be written to
  ClientFiles client;                  ///< to be read only
  bool meets_others = false;           ///< in a network in which it reaches the other ranks
  std::filesystem::path folder;        ///< of the rank, for the container's id
};

/// The options and variables that a command gets in addition.
struct ContainerCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string added;  ///< in words of a shell, the names of variables left out; empty: no command
                      ///< of the kind
};

/// `argv` where it begins with `docker run`, `podman run`, `nerdctl run`, `enroot start`, or
/// `apptainer` or `singularity` with `exec` or `run`; any other comes back as it is. Options of a
/// person stand behind ours, and win. Values of variables do not stand in the command, which every
/// user of the host can read. Binds in `environment` (NAME=VALUE; APPTAINER_BIND, SINGULARITY_BIND)
/// are kept. Source: the reference pages of docker run, podman-run(1), "Environment and metadata"
/// and "Bind paths and mounts" of Apptainer, enroot's doc/cmd/start.md.
ContainerCommand in_container(std::vector<std::string> argv, const ContainerNeeds& needs,
                              const std::vector<std::string>& environment);

/// Ends the containers whose ids their commands left in the folders of ranks, with `docker kill`,
/// which is waited for, 30 s at most. The processes of those that need it belong to a service, not
/// to the command, and often to another user. Nothing happens where there is no such file.
void end_containers(const std::vector<std::filesystem::path>& rank_folders);

/// The same for each rank in each attempt of a run.
void end_containers(const std::filesystem::path& run_folder);

}  // namespace ringside::agent
