// Starts a program that outlives this one: in its own session, without a terminal or a parent to
// reap it. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

/// Starts a program without a shell; argv[0] is a path. Standard output and error go to `log`,
/// standard input is empty; the program inherits the descriptors in `passed`, all above 2, with the
/// same numbers. Returns the process id once the program runs. Fails if it cannot be executed.
Result<std::int32_t> start_detached(const std::vector<std::string>& argv,
                                    const std::filesystem::path& log,
                                    const std::vector<int>& passed = {});
/// Starts a program like start_detached(), but as a child of this process, for environments that
/// end process trees (Slurm); it gets SIGTERM when the calling thread ends. The caller does not
/// reap it.
Result<std::int32_t> start_child(const std::vector<std::string>& argv,
                                 const std::filesystem::path& log,
                                 const std::vector<int>& passed = {});

}  // namespace ringside::launch
