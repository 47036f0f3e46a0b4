// Runs one rank from its environment to its exit code. Called once by main, after the CUDA module
// is loaded.
#pragma once

#include <filesystem>
#include <functional>

#include "protocol/messages/spec/run_spec.h"
#include "trainer/cuda/cuda_loader.h"
#include "trainer/dist/environment.h"
#include "trainer/engine/loop/rank_options.h"

namespace ringside::engine {

struct RankParts;

/// Called by a check on a prepared rank, before its first step.
using PreparedHook = std::function<void(RankParts&)>;

/// Trains, reports to the agent of `agent_card` (empty: none) and returns the exit code: 0 done or
/// stopped in order, 1 failure, 2 bad request. After a failure the process exits at once, since the
/// other ranks wait for its end.
int run_rank(const messages::RunSpec& spec, const dist::LaunchEnvironment& env,
             const RankOptions& options, const std::filesystem::path& agent_card,
             const std::filesystem::path& error_path, const cuda::CudaModule& cuda,
             const PreparedHook& prepared = {});

}  // namespace ringside::engine
