// Commands that run a rank in a container (docker, podman, nerdctl, apptainer, singularity,
// enroot): the options that let the process inside find its run, our library and the other ranks,
// and the removal of containers that outlive their command.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "trainer/agent/processes/client_files.h"

namespace ringside::agent {

/// Host resources for a process in a container.
struct ContainerNeeds {
  std::vector<std::string> variables;  ///< NAME=VALUE; PYTHONPATH without the host's
  std::filesystem::path run;           ///< the run folder, mounted writable
  ClientFiles client;                  ///< mounted read-only
  bool meets_others = false;           ///< in a network in which it can reach the other ranks
  std::filesystem::path folder;        ///< of the rank, where the container's id is written
  std::vector<int> cpus = {};          ///< CPU numbers that it is bound to; empty: it is not bound
};

/// Options and variables that are added to a command.
struct ContainerCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string added;  ///< shell words without the names of variables; empty when the command does
                      ///< not start a container
};

/// Adds options if `argv` begins with `docker run`, `podman run`, `nerdctl run`, `enroot start`, or
/// `apptainer` or `singularity` with `exec` or `run`; other commands are returned unchanged. The
/// user's options follow ours and take precedence. Values of variables are not put into the command
/// line, which every user of the host can read. Binds in `environment` (NAME=VALUE; APPTAINER_BIND,
/// SINGULARITY_BIND) are kept. Source: the reference pages of docker run, podman-run(1),
/// "Environment and metadata" and "Bind paths and mounts" of Apptainer, enroot's doc/cmd/start.md.
ContainerCommand in_container(std::vector<std::string> argv, const ContainerNeeds& needs,
                              const std::vector<std::string>& environment);

/// Ends the containers whose ids their commands wrote to the ranks' folders, using `docker kill`,
/// for which it waits at most 30 s. Processes of such containers belong to a service, not to the
/// command, and often to another user. Does nothing without such a file.
void end_containers(const std::vector<std::filesystem::path>& rank_folders);

/// The same for each rank of each attempt of a run.
void end_containers(const std::filesystem::path& run_folder);

}  // namespace ringside::agent
