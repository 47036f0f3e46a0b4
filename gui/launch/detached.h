// Starts a program that shall outlive this one: own session, no terminal, no parent to reap it. Any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

/// argv[0] is a path; nothing goes through a shell. Standard output and error go to `log`, input is
/// empty; it gets the descriptors in `passed` under the numbers they have here, above 2. Returns
/// the process id once the program runs. Fails when it cannot be executed.
Result<std::int32_t> start_detached(const std::vector<std::string>& argv,
                                    const std::filesystem::path& log,
                                    const std::vector<int>& passed = {});
/// Starts a program as start_detached() does, but as a child of this process, for those that end
/// process trees (Slurm); it gets SIGTERM when the calling thread ends. The caller does not reap
/// it.
Result<std::int32_t> start_child(const std::vector<std::string>& argv,
                                 const std::filesystem::path& log,
                                 const std::vector<int>& passed = {});

}  // namespace ringside::launch
